package proof

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// An Emitted is one thing of which the generated Go states numbers or a type.
type Emitted struct {
	Name      string // for messages: struct app::Vec, constant TILE
	Pos       token.Position
	Witnesses []string // of the whole: a type's size, a constant's value
	Parts     []EmittedPart

	Silence string // why the compiler says no more; for messages
}

// An EmittedPart is a field or an enumerator.
type EmittedPart struct {
	Name      string // for messages: field x
	Witnesses []string
}

// witnessesNeeded is how many have to agree before anything is written.
const witnessesNeeded = 2

// An Unproved is an Emitted for which fewer witnesses stand than are needed.
type Unproved struct {
	Emitted
	Part *EmittedPart // the first part that lacks one; nil when it is the whole
}

// String says what lacks which witness, and why.
func (u Unproved) String() string {
	what, has := u.Name, u.Witnesses
	if u.Part != nil {
		what, has = what+": "+u.Part.Name, u.Part.Witnesses
	}
	by := "nobody states it"
	if len(has) > 0 {
		by = "only " + strings.Join(has, ", ") + " states it"
	}
	return fmt.Sprintf("%s: nothing confirms what Go gets of it (%s): %s", what, by, u.Silence)
}

// Gate returns what must not be written: each thing of which two witnesses do not agree in all its
// parts. It is the last look at what Go gets, whatever way it came.
func Gate(list []Emitted) []Unproved {
	var unproved []Unproved
	for _, e := range list {
		if distinct(e.Witnesses) < witnessesNeeded {
			unproved = append(unproved, Unproved{e, nil})
			continue
		}
		i := slices.IndexFunc(e.Parts, func(p EmittedPart) bool { return distinct(p.Witnesses) < witnessesNeeded })
		if i >= 0 {
			unproved = append(unproved, Unproved{e, &e.Parts[i]})
		}
	}
	return unproved
}

// distinct counts witnesses, each once.
func distinct(witnesses []string) int {
	list := slices.Sorted(slices.Values(witnesses))
	return len(slices.Compact(list))
}
