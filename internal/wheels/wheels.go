// Package wheels downloads Python wheels from the package index that pip is configured to use,
// verifies them, and unpacks them. It needs no Python and runs nothing. It knows nothing of CUDA.
//
// A wheel is named by its file and its SHA-256, so that it does not matter where it comes from.
// Start with New.
package wheels

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Wheel is the file of a Python package in one version, for some platforms.
//
// Python Packaging User Guide, Binary distribution format.
type Wheel struct {
	File   string // nvidia_nvvm-13.0.88-py3-none-win_amd64.whl
	Size   int64  // in bytes
	SHA256 string // in lower-case hexadecimal digits
}

// line matches a line of Parse.
var line = regexp.MustCompile(`^([0-9a-f]{64}) ([1-9]\d{0,11}) ([\w.]+-[\w.]+-\w+-\w+-[\w.]+\.whl)$`)

// Parse reads a list of wheels, one a line: the SHA-256, the size, and the name of the file.
func Parse(text string) (list []Wheel, err error) {
	for number, text := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := line.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("line %d: %q is not the SHA-256, the size and the name of a wheel", number+1, text)
		}
		size, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		list = append(list, Wheel{File: m[3], Size: size, SHA256: m[1]})
	}
	return list, nil
}

// part returns one of the parts of the file's name, which hyphens separate.
func (w Wheel) part(i int) string { return strings.Split(strings.TrimSuffix(w.File, ".whl"), "-")[i] }

// Name returns the name of the package as an index has it: nvidia-nvvm.
//
// Python Packaging User Guide, Names and normalization.
func (w Wheel) Name() string { return strings.ToLower(separators.ReplaceAllString(w.part(0), "-")) }

var separators = regexp.MustCompile(`[-_.]+`)

// Version returns the version of the package.
func (w Wheel) Version() string { return w.part(1) }

// Platform returns the last of the platforms that the wheel is for: manylinux_2_17_x86_64 or win_amd64.
func (w Wheel) Platform() string {
	tags := w.part(4)
	return tags[strings.LastIndexByte(tags, '.')+1:]
}

// String returns the package and its version: nvidia-nvvm 13.0.88.
func (w Wheel) String() string { return w.Name() + " " + w.Version() }

// Record returns the path of the file that lists the files of the wheel, where it is unpacked. pip and uv
// write it, too.
//
// Python Packaging User Guide, Recording installed projects.
func (w Wheel) Record() string { return w.part(0) + "-" + w.part(1) + ".dist-info/RECORD" }
