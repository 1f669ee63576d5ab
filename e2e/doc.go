// Package e2e runs the program against real servers: make e2e. Its tests have the
// build tag e2e and say what they want when it is missing.
package e2e
