package sim

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// A problem is something in PTX that cannot be decoded: it is wrong or, unless invalid, the
// simulated device does not support it. Then text names what.
type problem struct {
	pos     token.Position
	source  source
	text    string
	invalid bool
}

// problems are the errors found in a module, a kernel or a variable.
type problems struct{ list []problem }

const maxProblems = 10

// add keeps the first of several problems with one text.
func (p *problems) add(found problem) {
	if !slices.ContainsFunc(p.list, func(other problem) bool {
		return other.text == found.text && (!found.invalid || other.pos == found.pos)
	}) {
		p.list = append(p.list, found)
	}
}

// addInvalid adds what other found to be wrong, unless that may follow from something that
// is not supported.
func (p *problems) addInvalid(other *problems) {
	if other.unsupported() == "" {
		p.list = append(p.list, other.list...)
	}
}

// lacks returns what the simulated device does not support, each with its place.
func (p *problems) lacks() (lacks []Lack) {
	for _, found := range p.list {
		if !found.invalid {
			lacks = append(lacks, Lack{found.text, found.source.file, found.source.line, found.pos.Line})
		}
	}
	return lacks
}

// lacking is lacks as texts.
func (p *problems) lacking() (texts []string) {
	for _, lack := range p.lacks() {
		text := lack.What
		if lack.File != "" {
			text += fmt.Sprintf(" at %s:%d", lack.File, lack.Line)
		}
		texts = append(texts, fmt.Sprintf("%s (PTX line %d)", text, lack.PTXLine))
	}
	return texts
}

// unsupported names what the simulated device does not support, and is empty if there is
// nothing.
func (p *problems) unsupported() string {
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
func (p *problems) err() error {
	var list scanner.ErrorList
	for _, found := range p.list {
		if found.invalid && len(list) < maxProblems {
			list.Add(found.pos, found.text)
		}
	}
	list.Sort()
	return list.Err()
}

func (d *decoder) invalid(format string, args ...any) {
	d.errs.add(problem{pos: d.pos, text: fmt.Sprintf(format, args...), invalid: true})
}

func (d *decoder) unsupported(format string, args ...any) {
	d.errs.add(problem{pos: d.pos, text: fmt.Sprintf(format, args...), source: d.source})
}
