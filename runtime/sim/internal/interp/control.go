package interp

import (
	"math/bits"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// PTX ISA, Control Flow Instructions and Miscellaneous Instructions: trap.
func controlForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "bra.uni?", Assemble: assembleBranch},
		{Pattern: "brx.idx.uni?", Assemble: assembleBranchIndexed},
		{Pattern: "call.uni?", Assemble: bytecode.AssembleCall},
		{Pattern: "ret.uni?", Assemble: assembleRet},
		{Pattern: "exit", Assemble: noOperands(bytecode.OpExit)},
		{Pattern: "trap", Assemble: noOperands(bytecode.OpTrap)},
	}
}

func noOperands(op bytecode.Opcode) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		d.Operands(in, 0)
		return bytecode.Instr{Op: op}
	}
}

// assembleRet decodes ret, which in an entry ends the thread.
func assembleRet(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	d.Operands(in, 0)
	if d.Fn != nil {
		return bytecode.Instr{Op: bytecode.OpReturn}
	}
	return bytecode.Instr{Op: bytecode.OpExit}
}

// labelNamed returns the label that op names.
func labelNamed(d *bytecode.Decoder, op ptx.Operand) *int32 {
	sym, ok := op.(ptx.Symbol)
	if !ok || sym.Offset != 0 {
		d.Invalid("the operand is not a label")
		return new(int32)
	}
	return d.Label(sym.Name)
}

func assembleBranch(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	if d.Operands(in, 1) {
		d.Fixups = append(d.Fixups, bytecode.Fixup{Pc: len(d.K.Code), Targets: []*int32{labelNamed(d, in.Args[0])}})
	}
	return bytecode.Instr{Op: bytecode.OpBranch}
}

func assembleBranchIndexed(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpBranchIndexed}
	if !d.Operands(in, 2) {
		return i
	}
	i.A = d.Src(in.Args[0], "u32")
	f := bytecode.Fixup{Pc: len(d.K.Code), Indexed: true}
	name, _ := in.Args[1].(ptx.Symbol)
	for n := len(d.Scopes) - 1; n >= 0; n-- {
		text, ok := d.Scopes[n].Lists[name.Name]
		if !ok {
			continue
		}
		for target := range strings.SplitSeq(text, ",") {
			f.Targets = append(f.Targets, d.Label(strings.TrimSpace(target)))
		}
		d.Fixups = append(d.Fixups, f)
		return i
	}
	d.Invalid("%s: its .branchtargets are not declared", in.Text)
	return i
}

// branchIndexed sends each lane to the target that its index names.
func (b *block) branchIndexed(w *warp, in *bytecode.Instr, pc int32, e uint32, state groupState) *Failure {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		index := uint32(w.regs[in.A][l])
		if int(index) >= len(in.Targets) {
			return b.fault(w, pc, l, driver.ErrorLaunchFailed, "index %d of %d branch targets", index, len(in.Targets))
		}
		w.push(group{pc: in.Targets[index], mask: 1 << l, state: state})
	}
	return nil
}

// exit ends lanes of w. Those that wait for them are asked again.
func (b *block) exit(w *warp, mask uint32) *Failure {
	w.live &^= mask
	b.live -= uint32(bits.OnesCount32(mask))
	if b.races != nil {
		b.races.exit(w)
	}
	w.wake(atSync)
	if b.cluster != nil {
		b.cluster.complete()
	}
	for n := 0; b.waiting > 0 && n < barrierCount; n++ {
		if b.barriers[n].arrived > 0 {
			if fault := b.complete(n); fault != nil {
				return fault
			}
		}
	}
	return nil
}
