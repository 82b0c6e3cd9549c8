package ptx

import (
	"slices"
	"strings"
)

// A Form is a family of instructions: an opcode and its modifiers, in the order in which
// the PTX ISA writes them. "add|sub.rn|rz?.ftz?.f32" is add or sub with one of .rn and
// .rz, or neither, then .ftz or not, then .f32: | separates alternatives, and a question
// mark makes a modifier optional.
type Form struct {
	Opcodes []string
	mods    []modifier
}

// A modifier is one place behind the opcode of a form.
type modifier struct {
	alternatives []string
	optional     bool
}

// ParseForm reads a form as Form's comment describes it.
func ParseForm(text string) Form {
	opcodes, rest, modified := strings.Cut(text, ".")
	f := Form{Opcodes: strings.Split(opcodes, "|")}
	if !modified {
		return f
	}
	for part := range strings.SplitSeq(rest, ".") {
		names, optional := strings.CutSuffix(part, "?")
		f.mods = append(f.mods, modifier{strings.Split(names, "|"), optional})
	}
	return f
}

// matches reports whether each of mods has its place in the form: none is ignored.
func matches(places []modifier, mods []string) bool {
	if len(places) == 0 {
		return len(mods) == 0
	}
	if len(mods) > 0 && slices.Contains(places[0].alternatives, mods[0]) && matches(places[1:], mods[1:]) {
		return true
	}
	return places[0].optional && matches(places[1:], mods)
}

// A FormTable finds what belongs to the form of an instruction. The zero FormTable is
// empty.
type FormTable[T any] struct{ rows map[string][]formRow[T] }

type formRow[T any] struct {
	form  Form
	value T
}

// Add adds a form with its value. Of several forms of one instruction the first one added
// counts.
func (t *FormTable[T]) Add(f Form, value T) {
	if t.rows == nil {
		t.rows = make(map[string][]formRow[T])
	}
	for _, op := range f.Opcodes {
		t.rows[op] = append(t.rows[op], formRow[T]{f, value})
	}
}

// Find returns the value of the form of in, if a form matches.
func (t *FormTable[T]) Find(in *Instr) (value T, ok bool) {
	for _, row := range t.rows[in.Op] {
		if matches(row.form.mods, in.Mods) {
			return row.value, true
		}
	}
	return value, false
}

// FindReordered is Find for an instruction whose modifiers stand in another order than the
// PTX ISA writes them, which ptxas takes. It also returns the instruction in the ISA's order.
// Types, layouts and state spaces keep their order among themselves: it says which operand they are of.
func (t *FormTable[T]) FindReordered(in *Instr) (value T, ordered *Instr, ok bool) {
	for _, row := range t.rows[in.Op] {
		if mods, ok := inOrder(row.form.mods, in.Mods); ok {
			ordered := *in
			ordered.Mods = mods
			return row.value, &ordered, true
		}
	}
	return value, nil, false
}

// inOrder gives each place the first of mods that it takes, and reports whether none is left.
func inOrder(places []modifier, mods []string) (ordered []string, ok bool) {
	if len(mods) > len(places) {
		return nil, false
	}
	rest, last := slices.Clone(mods), [kinds]int{-1, -1, -1, -1}
	for _, place := range places {
		n := slices.IndexFunc(rest, func(mod string) bool { return mod != "" && slices.Contains(place.alternatives, mod) })
		if n < 0 && !place.optional {
			return nil, false
		}
		if n < 0 {
			continue
		}
		if kind := operandKind(rest[n]); kind != ofNone {
			if n < last[kind] {
				return nil, false
			}
			last[kind] = n
		}
		ordered = append(ordered, rest[n])
		rest[n] = ""
	}
	return ordered, len(ordered) == len(mods)
}

// What a modifier says of an operand.
const (
	ofNone = iota
	ofType
	ofLayout
	ofSpace
	kinds
)

// operandKind returns what mod says of an operand, which its place names.
func operandKind(mod string) int {
	space, _, _ := strings.Cut(mod, "::")
	switch {
	case Type(mod).Size() > 0:
		return ofType
	case mod == "row" || mod == "col":
		return ofLayout
	case space == "global" || space == "shared" || space == "local" || space == "const" || space == "param":
		return ofSpace
	}
	return ofNone
}
