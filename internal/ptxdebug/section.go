// Package ptxdebug reads the debug information in a PTX text: its sections, and the functions, blocks and variables in them, with
// the places where their values lie. It knows DWARF, and the parts of PTX that it stands in. It knows no layouts of C++ (gen/internal/witness
// compares those), and no device.
package ptxdebug

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// widths holds the bytes that a value has behind each directive of a section.
var widths = map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8}

// A reference is a place in a section whose value has to be filled in.
type reference struct {
	section string
	offset  int
	width   int
	expr    string
}

// A sectionReader turns the debug sections of a PTX text into bytes.
type sectionReader struct {
	name       string
	line       int
	sections   map[string][]byte
	labels     map[string]int // offsets in their sections
	code       map[string]int // lines of the labels in code
	references []reference
}

// Sections returns the contents of the sections of a PTX text by their names. A label in code stands for its line, and what
// else is not in a section for what symbol returns, or for 0 if that is nil. name is for messages.
//
// PTX ISA, Debugging Directives: .section.
func Sections(name string, text []byte, symbol func(name string) uint64) (map[string][]byte, error) {
	r := &sectionReader{name: name, sections: make(map[string][]byte), labels: make(map[string]int), code: make(map[string]int)}
	section, open := "", false
	for line := range strings.Lines(string(text)) {
		r.line++
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if section == "" {
			rest, found := strings.CutPrefix(line, ".section")
			if !found {
				if label, is := strings.CutSuffix(line, ":"); is {
					r.code[label] = r.line
				}
				continue
			}
			rest, brace, _ := strings.Cut(strings.TrimSpace(rest), "{")
			section = strings.TrimSpace(rest)
			if section == "" {
				return nil, r.errorf("a .section has no name")
			}
			open = strings.Contains(line, "{")
			if strings.TrimSpace(brace) == "}" {
				section, open = "", false
			}
			continue
		}
		var err error
		switch {
		case line == "":
		case !open:
			if line != "{" {
				err = r.errorf("found %q, want { after .section %s", line, section)
			}
			open = true
		case line == "}":
			section, open = "", false
		case strings.HasSuffix(line, ":"):
			r.labels[strings.TrimSuffix(line, ":")] = len(r.sections[section])
		default:
			err = r.values(section, line)
		}
		if err != nil {
			return nil, err
		}
	}
	if section != "" {
		return nil, r.errorf(".section %s is not closed", section)
	}
	for _, ref := range r.references {
		Put(r.sections[ref.section][ref.offset:], ref.width, r.value(ref.expr, symbol))
	}
	return r.sections, nil
}

func (r *sectionReader) errorf(format string, args ...any) error {
	return diag.CompilerOutput.Errorf("%v: %s", token.Position{Filename: r.name, Line: r.line}, fmt.Sprintf(format, args...))
}

// values reads a line such as ".b8 1, 2, 3" or ".b32 label".
func (r *sectionReader) values(section, line string) error {
	directive, rest, found := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	width := widths[directive]
	if width == 0 || !found {
		return r.errorf("found %q, want .b8, .b16, .b32 or .b64 in .section %s", line, section)
	}
	for value := range strings.SplitSeq(strings.TrimSuffix(rest, ";"), ",") {
		value = strings.TrimSpace(value)
		at := len(r.sections[section])
		r.sections[section] = append(r.sections[section], make([]byte, width)...)
		if n, err := strconv.ParseInt(value, 0, 64); err == nil {
			Put(r.sections[section][at:], width, uint64(n))
		} else if n, err := strconv.ParseUint(value, 0, 64); err == nil {
			Put(r.sections[section][at:], width, n)
		} else if value == "" || '0' <= value[0] && value[0] <= '9' {
			return r.errorf("found %q, want a number or a label", value)
		} else {
			r.references = append(r.references, reference{section, at, width, value})
		}
	}
	return nil
}

// value returns what an expression label, section, label+number or label-label stands for.
func (r *sectionReader) value(expr string, symbol func(string) uint64) uint64 {
	if first, second, ok := strings.Cut(expr, "-"); ok {
		return r.value(strings.TrimSpace(first), symbol) - r.value(strings.TrimSpace(second), symbol)
	}
	label, number, _ := strings.Cut(expr, "+")
	label = strings.TrimSpace(label)
	added, _ := strconv.ParseUint(strings.TrimSpace(number), 0, 64)
	if offset, ok := r.labels[label]; ok {
		return uint64(offset) + added
	}
	if line, ok := r.code[label]; ok {
		return uint64(line) + added
	}
	if symbol != nil && !strings.HasPrefix(label, ".") { // which is a section
		return symbol(label) + added
	}
	return added
}

// Put writes the lowest width bytes of value to a slice, the lowest first.
func Put(to []byte, width int, value uint64) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], value)
	copy(to[:width], bytes[:])
}
