package proof

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// An emitted is one thing of which the generated Go states numbers or a type.
type emitted struct {
	Name      string // for messages: struct app::Vec, constant TILE
	Pos       token.Position
	Witnesses []string // of the whole: a type's size, a constant's value
	Parts     []emittedPart

	reason diag.Message // why nothing else confirms it, and what to do; for messages
}

// An emittedPart is a field or an enumerator.
type emittedPart struct {
	Name      string // for messages: field x
	Witnesses []string
}

// spoken are the names of witnesses in messages.
var spoken = map[string]string{
	record.Source: "the source", record.PTX: "the PTX", record.Cubin: "the machine code", record.Debug: "the debug information", record.Probe: "the probe",
	record.Assertion: "an assertion",
}

// witnessesNeeded is how many have to agree before anything is written.
const witnessesNeeded = 2

// An unproved is an emitted that too few witnesses confirm.
type unproved struct {
	emitted
	part *emittedPart // the first part that lacks one; nil when it is the whole
}

// message reports what lacks which witness, and why.
func (u unproved) message() diag.Message {
	what, has := "", u.Witnesses
	if u.part != nil {
		what, has = u.part.Name+": ", u.part.Witnesses
	}
	if len(has) == 0 {
		return diag.Unconfirmed.Errorf("%snothing states it: %w", what, u.reason).About(u.Name)
	}
	return diag.Unconfirmed.Errorf("%sonly %s states it, and nothing confirms it: %w", what, cmp.Or(spoken[has[0]], has[0]), u.reason).About(u.Name)
}

// gate returns what must not be written: each thing that has a part which fewer than two witnesses
// confirm. It is the last check of all that Go gets, wherever that comes from.
func gate(list []emitted) []unproved {
	var short []unproved
	for _, e := range list {
		if distinct(e.Witnesses) < witnessesNeeded {
			short = append(short, unproved{e, nil})
			continue
		}
		i := slices.IndexFunc(e.Parts, func(p emittedPart) bool { return distinct(p.Witnesses) < witnessesNeeded })
		if i >= 0 {
			short = append(short, unproved{e, &e.Parts[i]})
		}
	}
	return short
}

// distinct counts witnesses, each once.
func distinct(witnesses []string) int {
	list := slices.Sorted(slices.Values(witnesses))
	return len(slices.Compact(list))
}
