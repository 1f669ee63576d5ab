//go:build !unix

package main

// descriptorLimit is how many files this process may open; 0: not known.
func descriptorLimit() int { return 0 }
