package report

import (
	"fmt"
	"reflect"

	"scenario/internal/metric"
)

// member is one figure of a formula.
type member struct{ name, text string }

// members lists the figures of a formula's struct, in its order.
func members(figures any) []member {
	v := reflect.Indirect(reflect.ValueOf(figures))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var list []member
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		text := dash
		switch figure := v.Field(i).Interface().(type) {
		case metric.Number:
			text = number(figure)
		case metric.Duration:
			if d, ok := figure.Duration(); ok {
				text = span(d)
			}
		default:
			text = fmt.Sprint(figure)
		}
		list = append(list, member{name, text})
	}
	return list
}
