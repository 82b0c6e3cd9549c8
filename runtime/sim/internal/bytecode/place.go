package bytecode

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
)

// A Place is the position of an instruction.
type Place struct {
	Line   int    // in the PTX
	Text   string // the instruction
	Source Source
	Within *Inlined // where Source's code was inlined, or nil
	Part   bool     // of the instruction that follows: the PTX has one where the bytecode has several
}

// Inlined is that a function's code was inlined.
type Inlined struct {
	Function string // mangled; empty if the image does not name it
	At       Source
	Within   *Inlined // where the code at At was inlined, or nil
}

// A Source is the .loc in force, or zero.
type Source struct {
	File string
	Line int
}

// String returns how people find s: file:line.
func (s Source) String() string { return fmt.Sprintf("%s:%d", sourcefile.Shown(s.File), s.Line) }

// InlinedAt returns where the line of p was inlined, and that in turn, innermost first.
func (p *Place) InlinedAt() (lines []string) {
	for in := p.Within; in != nil; in = in.Within {
		lines = append(lines, in.At.String())
	}
	return lines
}

// Where is the place of the instruction at pc.
func (k *Program) Where(pc int32) string {
	at := &k.Places[pc]
	if at.Source.File == "" {
		return fmt.Sprintf("PTX line %d", at.Line)
	}
	if inlined := driver.InlinedText(at.InlinedAt()); inlined != "" {
		return fmt.Sprintf("%v (%s)", at.Source, inlined)
	}
	return at.Source.String()
}

// SameLine reports whether two instructions are of one line of the source, inlined at one place if it was, or, where that is not known, one
// instruction.
func (k *Program) SameLine(pc, other int32) bool {
	if at := k.Places[pc].Source; at.File != "" {
		return k.Places[pc].line() == k.Places[other].line()
	}
	return pc == other
}

// line tells the line of p from others, and from itself where it was inlined at another place. It is empty if that is not known.
func (p *Place) line() string {
	if p.Source.File == "" {
		return ""
	}
	if p.Within == nil {
		return p.Source.File + "\x00" + fmt.Sprint(p.Source.Line)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\x00%d", p.Source.File, p.Source.Line)
	for in := p.Within; in != nil; in = in.Within {
		fmt.Fprintf(&b, "\x00%s\x00%d", in.At.File, in.At.Line)
	}
	return b.String()
}

// FirstOfLines returns for each instruction the first one of its line, as SameLine knows it.
func (k *Program) FirstOfLines() []int32 {
	lines, first := make([]int32, len(k.Places)), make(map[string]int32)
	for n := range k.Places {
		lines[n] = int32(n)
		if line := k.Places[n].line(); line == "" {
			continue
		} else if known, ok := first[line]; ok {
			lines[n] = known
		} else {
			first[line] = int32(n)
		}
	}
	return lines
}
