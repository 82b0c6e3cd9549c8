package gen

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/source"
)

// DefaultStd is the C++ standard that source is read in, and that nvcc uses by default.
const DefaultStd = source.DefaultStd

// SourceOptions say how source is read. They are a compiler's options of the same
// names, and go to the compiler, too.
type SourceOptions = source.Options

// parseSource reads the .cu file at path and what it includes, and returns its text, too.
//
// An error is an *InputError, when the file cannot be read, or a
// go/scanner.ErrorList of what is wrong with it as a whole. What is not understood
// of a single kernel stands in its Errors.
func parseSource(path string, o SourceOptions, nvrtc bool) (file *cu.File, text []byte, err error) {
	if filepath.Ext(path) != ".cu" {
		return nil, nil, source.NewError(path, "is not a .cu file: give the CUDA source to generate from")
	}
	if base := filepath.Base(path); base[0] == '_' || base[0] == '.' {
		return nil, nil, source.NewError(path, "begins with "+base[:1]+", and Go ignores files named so: rename it")
	}
	text, err = os.ReadFile(path)
	if err != nil {
		return nil, nil, source.Unreadable(path, err)
	}
	config := cu.Config{
		Include: o.Include, Define: o.Define, Std: o.Std, Arch: o.Arch, NVRTC: nvrtc, Read: os.ReadFile, SizeOf: layout.Of,
	}
	file, err = config.ParseFile(path, text)
	return file, text, err
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
