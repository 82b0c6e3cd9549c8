package gen

import (
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/gen/cu"
)

// SourceOptions say how source is read. They are a compiler's options of the same
// names, and go to the compiler, too.
type SourceOptions struct {
	Include []string // folders of included files: -I
	Define  []string // macros: NAME or NAME=value: -D
	Std     string   // C++ standard: c++17; empty for that
}

// ParseSource reads the .cu file at path and what it includes.
//
// An error is an *InputError, when the file cannot be read, or a
// go/scanner.ErrorList of what is wrong with it as a whole. What is not understood
// of a single kernel stands in its Errors.
func ParseSource(path string, o SourceOptions) (*cu.File, error) {
	if filepath.Ext(path) != ".cu" {
		return nil, &InputError{path, "is not a .cu file: give the CUDA source to generate from"}
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, &InputError{path, describe(err)}
	}
	return cu.ParseFile(path, source)
}
