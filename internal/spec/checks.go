package spec

// decode reads a check: an expression, or a mapping with one.
func (c *Check) decode(a At, d *decoder) {
	if a.node.form == textForm {
		c.Expr = a.Text()
		return
	}
	d.structure(a, valueOf(c))
}
