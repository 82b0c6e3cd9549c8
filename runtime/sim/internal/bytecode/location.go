package bytecode

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A location is a place in a source file, by the number of a .file directive.
type location struct{ file, line, column int }

// toolkit matches the paths of the headers of CUDA and of clang's for it.
var toolkit = regexp.MustCompile(`(^|/)(cuda[^/]*|cu[0-9]+|targets/[^/]+)/include/|/__clang_cuda_|/cccl/`)

// directive follows .loc. The place of an instruction is in a file of the user: what is inlined
// from a header of the toolkit stands where it was inlined.
//
// PTX ISA, Debugging Directives: .loc.
func (d *Decoder) directive(dir *ptx.Directive) {
	if dir.Name != "loc" {
		return
	}
	place, parent, _ := strings.Cut(dir.Text, "inlined_at")
	at, ok := locationIn(place)
	if !ok || d.Mod.files[at.file] == "" || at.line == 0 {
		return
	}
	if d.inlined == nil {
		d.inlined = make(map[location]location)
	}
	delete(d.inlined, at)
	if inlinedAt, ok := locationIn(parent); ok {
		d.inlined[at] = inlinedAt
	}
	for range d.inlined {
		outer, isInlined := d.inlined[at]
		if !isInlined || d.Mod.files[outer.file] == "" || !toolkit.MatchString(d.Mod.files[at.file]) {
			break
		}
		at = outer
	}
	d.Source = Source{d.Mod.files[at.file], at.line}
}

// locationIn reads a file, a line and a column that may be missing from the beginning of text.
func locationIn(text string) (at location, ok bool) {
	var fields [3]int
	n := 0
	for _, field := range strings.Fields(strings.ReplaceAll(text, ",", " ")) {
		value, err := strconv.Atoi(field)
		if err != nil || n == len(fields) {
			break
		}
		fields[n] = value
		n++
	}
	return location{fields[0], fields[1], fields[2]}, n >= 2
}
