package compare

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// Evidence says which parts of a Subject a compiler confirms.
type Evidence struct {
	Debug    bool            // debug information: the size, and all fields or enumerators
	Probe    bool            // the probe: size, alignment and kind
	Parts    map[string]bool // the probe: offsets and values, by the names of fields and enumerators
	Classes  map[any]bool    // by layout.Identity: classes in it that debug information confirms
	NoAnswer string          // why the probe does not answer, when it was asked
}

// Type compares a class or enumeration with what a compiler states about it, down to every
// field and enumerator.
//
// The error is an Error, or that of package layout when the type has no layout.
func Type(s *Subject, a Description) (e Evidence, err error) {
	e.NoAnswer = a.NoAnswer
	size, align, err := layout.Of(s.Type)
	if err != nil {
		return e, err
	}
	c := &comparison{kernel: s.Name(), seen: make(map[pair]bool)}
	if described(a.Debug) {
		e.Debug, e.Classes = true, make(map[any]bool)
		c.types("", s.Type, a.Debug)
		for both := range c.seen {
			e.Classes[both.source] = true
		}
	}
	if a.Answer != nil {
		e.Probe = true
		c.object("", s.Type, size, align, a.Answer.Object)
		if a.Answer.Stored != a.Answer.Size && a.Answer.Size != 0 && len(c.found) == 0 {
			return e, twoSizes(s.Type, a.Answer.Size, "by sizeof", a.Answer.Stored, "as a variable").About(s.Name())
		}
		if a.Parts {
			e.Parts = make(map[string]bool)
			c.parts(s.Type, size, a.Answer, e.Parts)
		}
	}
	c.found = once(c.found)
	return e, c.err()
}

// once returns list with what debug information and probe both say, once.
func once(list Error) (each Error) {
	for _, d := range list {
		if !slices.Contains(each, d) {
			each = append(each, d)
		}
	}
	return each
}

// described reports whether a compiler describes a class or enumeration, and does not just
// declare it.
func described(t *witness.Type) bool {
	return t != nil && (t.Bare().Kind != witness.Class && t.Bare().Kind != witness.Union || t.Bare().Complete())
}

// parts compares offsets and values, and notes the names of what it compared.
func (c *comparison) parts(t ctype.Type, size int64, a *witness.TypeAnswer, confirmed map[string]bool) {
	switch t := t.(type) {
	case *ctype.Struct:
		for i, m := range sayable(t) {
			if i < len(a.Offsets) {
				differ(c, path("").field(m.Name), "offset", m.Offset, a.Offsets[i])
				confirmed[m.Name] = true
			}
		}
	case *ctype.Enum:
		for i, e := range t.Enumerators {
			if i < len(a.Values) && e.Known {
				differ(c, "", "value of "+e.Name, truncated(e.Value, size), truncated(a.Values[i], size))
				confirmed[e.Name] = true
			}
		}
	}
}
