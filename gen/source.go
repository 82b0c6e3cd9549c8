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

	nvrtc bool // read as NVRTC does
}

// parseSource reads the .cu file at path and what it includes, and returns its text, too.
//
// An error is an *InputError, when the file cannot be read, or a
// go/scanner.ErrorList of what is wrong with it as a whole. What is not understood
// of a single kernel stands in its Errors.
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
		Include: o.Include, Define: o.Define, Std: o.Std, Arch: o.Arch, NVRTC: o.nvrtc, Read: os.ReadFile, SizeOf: layout.Of,
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

// Flags returns the options as a compiler takes them, wherever it runs.
func (o *SourceOptions) Flags() []string {
	return o.flags(absolute)
}

// absolute returns path from the root on, or as it is when the working folder is gone.
func absolute(path string) string {
	if from, err := filepath.Abs(path); err == nil {
		return from
	}
	return path
}

// flags returns the options as a compiler takes them, with the folders of included files
// as place returns them.
func (o *SourceOptions) flags(place func(folder string) string) []string {
	var flags []string
	for _, folder := range o.Include {
		flags = append(flags, "-I", filepath.ToSlash(place(folder)))
	}
	for _, macro := range o.Define {
		flags = append(flags, "-D", macro)
	}
	if o.Std != "" && o.Std != DefaultStd {
		flags = append(flags, "-std="+o.Std)
	}
	return flags
}

// compileFlags returns the source options as the unit's compiler takes them. Folders
// inside the module are relative to it, so that they are the same in every checkout.
func (u *unit) compileFlags() []string {
	return u.options.flags(func(folder string) string {
		if relative, inside := below(u.module, folder); inside {
			return relative
		}
		return absolute(folder)
	})
}

// recordFlags returns the source options as the record has them: folders inside the
// module are relative to the record's, others as they were given.
func (u *unit) recordFlags() []string {
	return u.options.flags(func(folder string) string {
		if _, inside := below(u.module, folder); inside {
			return u.recordPath(folder)
		}
		return folder
	})
}
