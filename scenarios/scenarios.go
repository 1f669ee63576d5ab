// Package scenarios holds the scenario files that ship with the program.
package scenarios

import "embed"

// Files are the shipped scenarios and their baselines, by path below this folder.
//
//go:embed *.yaml catid/*.yaml data/*.jsonl
var Files embed.FS
