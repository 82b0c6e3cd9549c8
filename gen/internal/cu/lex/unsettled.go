package lex

import (
	"slices"
	"strings"
)

// An Unsettled condition is an #if with its #elif and #else whose outcome depends on
// macros that nothing defines. Where headers are missing, one of them may: docs/decisions,
// "What happens if a missing header decides an #if?".
type Unsettled struct {
	Outer      int32    // the unsettled condition around it, 0 when there is none
	At         Token    // the # of the #if
	Names      []string // that nothing defines
	Begin, end int      // of the tokens that it lets through
	skipped    bool     // it leaves something out
	Kernels    int      // __global__ in what it leaves out
	Kernel     Place    // of the first of these
	missing    bool     // headers are missing at this point
}

// undefined notes a name that the condition being evaluated depends on, and that is no
// macro. Reserved names are those of compilers, whose macros are all known here.
func (p *Preprocessor) undefined(name string) {
	reserved := strings.HasPrefix(name, "__") || len(name) > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z'
	if !reserved && name != "WIN32" && name != "WIN64" && !slices.Contains(p.unknown, name) {
		p.unknown = append(p.unknown, name)
	}
}

// unsettle notes that c depends on the names that were undefined.
func (p *Preprocessor) unsettle(c *conditional) {
	if len(p.unknown) == 0 {
		return
	}
	if c.unsettled == 0 {
		p.Unsettled = append(p.Unsettled, Unsettled{
			Outer: p.inside, At: c.at, Begin: p.emitted.len(), missing: len(p.Missing) > 0, skipped: c.passed,
		})
		c.unsettled = int32(len(p.Unsettled)) // counted from 1
		p.inside = c.unsettled
	}
	u := &p.Unsettled[c.unsettled-1]
	u.Names = append(u.Names, p.unknown...)
	p.unknown = p.unknown[:0]
}

// settled ends an unsettled condition. A name that is defined by now was defined in it,
// as in an include guard or a default value.
func (p *Preprocessor) settled(c *conditional) {
	if c.unsettled == 0 {
		return
	}
	u := &p.Unsettled[c.unsettled-1]
	u.end = p.emitted.len()
	u.Names = slices.DeleteFunc(u.Names, func(name string) bool { return p.Macros[name] != nil })
	p.inside = u.Outer
}

// leaveOut notes that l is left out by the outermost condition that does not hold. It reports
// whether what is left out is counted: then it has to be told of all of it.
func (p *Preprocessor) leaveOut(l *Token) (counted bool) {
	for _, c := range p.conditionals {
		if c.live {
			continue
		}
		c.passed = true
		if c.unsettled == 0 {
			return false
		}
		u := &p.Unsettled[c.unsettled-1]
		u.skipped = true
		if l.Is("__global__") {
			if u.Kernels++; u.Kernels == 1 {
				u.Kernel = l.At
			}
		}
		return true
	}
	return false
}

// Matters reports whether the outcome of u may be another one, with other contents.
func (u *Unsettled) Matters() bool { return u.missing && u.skipped && len(u.Names) > 0 }
