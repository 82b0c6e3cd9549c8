package gen

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/layout"
)

// DefaultStd is the C++ standard that source is read in, and that nvcc uses by default.
const DefaultStd = "c++17"

// SourceOptions say how source is read. They are a compiler's options of the same
// names, and go to the compiler, too.
type SourceOptions struct {
	Include []string // folders of included files: -I
	Define  []string // macros: NAME or NAME=value: -D
	Std     string   // C++ standard: c++17; empty for that
	Arch    int      // compute capability times ten, as __CUDA_ARCH__ / 10 has it: 90; 0 for the lowest
}

// ParseSource reads the .cu file at path and what it includes.
//
// An error is an *InputError, when the file cannot be read, or a
// go/scanner.ErrorList of what is wrong with it as a whole. What is not understood
// of a single kernel stands in its Errors.
func ParseSource(path string, o SourceOptions) (*cu.File, error) {
	file, _, err := parseSource(path, o)
	return file, err
}

// parseSource is ParseSource, with the text of the file.
func parseSource(path string, o SourceOptions) (file *cu.File, source []byte, err error) {
	if filepath.Ext(path) != ".cu" {
		return nil, nil, &InputError{path, "is not a .cu file: give the CUDA source to generate from"}
	}
	if base := filepath.Base(path); base[0] == '_' || base[0] == '.' {
		return nil, nil, &InputError{path, "begins with " + base[:1] + ", and Go ignores files named so: rename it"}
	}
	source, err = os.ReadFile(path)
	if err != nil {
		return nil, nil, &InputError{path, describe(err)}
	}
	config := cu.Config{
		Include: o.Include, Define: o.Define, Std: o.Std, Arch: o.Arch, Read: os.ReadFile, SizeOf: layout.Of,
	}
	file, err = config.ParseFile(path, source)
	return file, source, err
}

// firstArch returns the number of the first of the targets, 75 for compute_75, and 0
// when it has none. The compiler checks how targets are written.
func firstArch(archs []string) int {
	if len(archs) == 0 {
		return 0
	}
	_, number, _ := strings.Cut(archs[0], "_")
	arch, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if err != nil {
		return 0
	}
	return arch
}

// flags returns the source options as a compiler takes them that runs in dir. Folders
// inside the module are relative to dir, so that they are the same in every checkout;
// others are as they were given.
func (u *unit) flags(dir string) []string {
	var flags []string
	for _, folder := range u.options.Include {
		if _, inside := below(u.module, folder); inside {
			folder = relativeTo(dir, folder)
		} else if absolute, err := filepath.Abs(folder); err == nil {
			folder = absolute
		}
		flags = append(flags, "-I", filepath.ToSlash(folder))
	}
	for _, macro := range u.options.Define {
		flags = append(flags, "-D", macro)
	}
	if u.options.Std != "" && u.options.Std != DefaultStd {
		flags = append(flags, "-std="+u.options.Std)
	}
	return flags
}

// relativeTo returns path relative to dir, or absolute when there is no such path.
func relativeTo(dir, path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return absolute
	}
	if relative, err := filepath.Rel(dir, absolute); err == nil {
		return relative
	}
	return absolute
}
