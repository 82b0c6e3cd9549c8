package sim

import (
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A form is a family of instructions that the simulator knows.
//
// pattern is an opcode and its modifiers, in the order in which the PTX ISA writes
// them: "add.rn?.ftz?.sat?.f32". Between dots stand the alternatives, separated by
// |; a question mark makes the modifier optional. An instruction belongs to a form
// only if every one of its modifiers does: none is ever ignored.
type form struct {
	pattern  string
	assemble assembler
}

// An assembler decodes the operands of an instruction.
type assembler func(d *decoder, in *ptx.Instr) instr

// chapters lists the forms by chapter of the PTX ISA, Instructions.
func chapters() [][]form {
	return [][]form{
		integerForms(), carryForms(), floatForms(), compareForms(), logicForms(),
		moveForms(), convertForms(), memoryForms(), controlForms(), barrierForms(), warpForms(), atomicForms(), callForms(),
	}
}

// Opcodes returns the instructions that the simulated device executes, as sorted
// patterns: | separates alternatives, and a question mark makes a modifier optional. Any
// other instruction is an error when a library is loaded.
func Opcodes() []string {
	var patterns []string
	for _, chapter := range chapters() {
		for _, f := range chapter {
			patterns = append(patterns, f.pattern)
		}
	}
	slices.Sort(patterns)
	return patterns
}

// A matcher is a form with its pattern cut up.
type matcher struct {
	slots    []slot
	assemble assembler
}

// A slot is the place of one modifier.
type slot struct {
	words    []string
	optional bool
}

// matchers indexes all forms by the first word of the opcode.
var matchers = sync.OnceValue(func() map[string][]matcher {
	index := make(map[string][]matcher)
	for _, chapter := range chapters() {
		for _, f := range chapter {
			op, rest, _ := strings.Cut(f.pattern, ".")
			index[op] = append(index[op], matcher{slots(rest), f.assemble})
		}
	}
	return index
})

func slots(pattern string) []slot {
	if pattern == "" {
		return nil
	}
	var list []slot
	for word := range strings.SplitSeq(pattern, ".") {
		word, optional := strings.CutSuffix(word, "?")
		list = append(list, slot{strings.Split(word, "|"), optional})
	}
	return list
}

// matches reports whether mods are modifiers of the form, each in its place.
// An optional slot takes a modifier whenever it can: no pattern has an alternative
// in an optional slot that the slots behind it need.
func (m matcher) matches(mods []string) bool {
	for _, s := range m.slots {
		switch {
		case len(mods) > 0 && slices.Contains(s.words, mods[0]):
			mods = mods[1:]
		case !s.optional:
			return false
		}
	}
	return len(mods) == 0
}

// find returns the assembler for in, or nil when no form matches.
func find(in *ptx.Instr) assembler {
	for _, m := range matchers()[in.Op] {
		if m.matches(in.Mods) {
			return m.assemble
		}
	}
	return nil
}

// has reports whether in has the modifier mod.
func has(in *ptx.Instr, mod string) bool { return slices.Contains(in.Mods, mod) }

// lastType is the last modifier of in, which is its type.
func lastType(in *ptx.Instr) ptx.Type { return ptx.Type(in.Mods[len(in.Mods)-1]) }

// alu makes the assembler of an instruction that computes lanes from lanes:
// the first operand has type dst, the others have the types srcs.
func alu(fn laneFunc, dst ptx.Type, srcs ...ptx.Type) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opLanes, fn: fn, flush: has(in, "ftz"), sat: has(in, "sat")}
		if i.flush || i.sat {
			i.op = opLanesFloat
		}
		if !d.operands(in, 1+len(srcs)) {
			return i
		}
		i.dst = d.dst(in.Args[0], dst)
		for n, t := range srcs {
			*[]*int32{&i.a, &i.b, &i.c}[n] = d.src(in.Args[n+1], t)
		}
		return i
	}
}

func unaryOp(fn laneFunc, t ptx.Type) assembler   { return alu(fn, t, t) }
func binaryOp(fn laneFunc, t ptx.Type) assembler  { return alu(fn, t, t, t) }
func ternaryOp(fn laneFunc, t ptx.Type) assembler { return alu(fn, t, t, t, t) }
