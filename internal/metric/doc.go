// Package metric holds what was measured: one request (Request), a level's
// figures over all of its requests (Level), and the values they are made of,
// each of which may be unknown. In go finished requests; out come figures, as
// design and reports define them. Nothing here knows of HTTP, files or checks.
//
// A field with a doc tag is a variable of the scenario language: its json name
// is the name that checks use, that result files print and that explain lists.
// The tag unit gives its unit, enum a closed set of values, plan marks what is
// known before the run, and speed what is withheld from reports while the level
// is not accepted.
package metric
