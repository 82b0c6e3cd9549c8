package bytecode

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
)

// A problem is something in PTX that cannot be decoded: it is wrong or, unless invalid, the
// simulated device does not support it. Then text names what.
type problem struct {
	pos     token.Position
	source  Source
	text    string
	invalid bool
}

// Problems are the errors found in a module, a kernel or a variable.
type Problems struct{ List []problem }

const maxProblems = 10

// add keeps the first of several problems with one text.
func (p *Problems) add(found problem) {
	if !slices.ContainsFunc(p.List, func(other problem) bool {
		return other.text == found.text && (!found.invalid || other.pos == found.pos)
	}) {
		p.List = append(p.List, found)
	}
}

// addInvalid adds what other found to be wrong, unless that may follow from something that
// is not supported.
func (p *Problems) addInvalid(other *Problems) {
	if other.unsupported() == "" {
		p.List = append(p.List, other.List...)
	}
}

// lacks returns what the simulated device does not support, each with its place.
func (p *Problems) lacks() (lacks []lack) {
	for _, found := range p.List {
		if !found.invalid {
			lacks = append(lacks, lack{found.text, sourcefile.Shown(found.source.File), found.source.Line, found.pos.Line})
		}
	}
	return lacks
}

// lacking is lacks as texts.
func (p *Problems) lacking() (texts []string) {
	for _, l := range p.lacks() {
		text := l.What
		if l.File != "" {
			text += fmt.Sprintf(" at %s:%d", l.File, l.Line)
		}
		texts = append(texts, fmt.Sprintf("%s (PTX line %d)", text, l.PTXLine))
	}
	return texts
}

// unsupported names what the simulated device does not support, and is empty if there is
// nothing.
func (p *Problems) unsupported() string {
	texts := p.lacking()
	if len(texts) == 0 {
		return ""
	}
	if more := len(texts) - maxProblems; more > 0 {
		texts = append(texts[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return "the simulated device does not support " + strings.Join(texts, ", ")
}

// err returns at most maxProblems of the things that are wrong, or nil.
func (p *Problems) err() error {
	var list scanner.ErrorList
	for _, found := range p.List {
		if found.invalid && len(list) < maxProblems {
			list.Add(found.pos, found.text)
		}
	}
	list.Sort()
	return list.Err()
}

// A lack is an instruction, a variable, a call or a directive that the simulated device does not
// support.
type lack struct {
	What    string // as in messages: instruction tcgen05.wait::ld.sync.aligned
	File    string // of the source, without folders; empty if the PTX has no line numbers
	Line    int    // in File
	PTXLine int
}
