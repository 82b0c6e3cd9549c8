package bytecode

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A location is a place in a source file, by the number of a .file directive.
type location struct{ file, line, column int }

// An inlining is where code was inlined, and of which function it is.
type inlining struct {
	at       location
	function string
}

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
		d.inlined = make(map[location]inlining)
	}
	delete(d.inlined, at)
	if inlinedAt, ok := locationIn(parent); ok {
		_, name, _ := strings.Cut(place, "function_name")
		d.inlined[at] = inlining{inlinedAt, d.Mod.stringAt(name)}
	}
	for range d.inlined {
		outer, isInlined := d.inlined[at]
		if !isInlined || d.Mod.files[outer.at.file] == "" || !toolkit.MatchString(d.Mod.files[at.file]) {
			break
		}
		at = outer.at
	}
	d.Source, d.within = Source{d.Mod.files[at.file], at.line}, d.outside(at, len(d.inlined))
}

// outside returns where the code at a location was inlined, and what that is in, up to so many times.
func (d *Decoder) outside(at location, most int) *Inlined {
	outer, isInlined := d.inlined[at]
	if !isInlined || most == 0 || d.Mod.files[outer.at.file] == "" {
		return nil
	}
	return &Inlined{outer.function, Source{d.Mod.files[outer.at.file], outer.at.line}, d.outside(outer.at, most-1)}
}

// stringAt returns the string that text names: a label, and perhaps how far behind it.
func (mod *Module) stringAt(text string) string {
	label, behind, _ := strings.Cut(strings.Trim(text, ", \t"), "+")
	offset, _ := strconv.Atoi(strings.TrimSpace(behind))
	bytes := mod.strings[strings.TrimSpace(label)]
	if offset < 0 || offset >= len(bytes) {
		return ""
	}
	name, _, _ := strings.Cut(string(bytes[offset:]), "\x00")
	return name
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
