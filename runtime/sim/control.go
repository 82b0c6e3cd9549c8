package sim

import (
	"math/bits"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// PTX ISA, Control Flow Instructions and Miscellaneous Instructions: trap.
func controlForms() []form {
	return []form{
		{"bra.uni?", assembleBranch},
		{"brx.idx.uni?", assembleBranchIndexed},
		{"call.uni?", assembleCall},
		{"ret.uni?", assembleRet},
		{"exit", noOperands(opExit)},
		{"trap", noOperands(opTrap)},
	}
}

func noOperands(op opcode) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		d.operands(in, 0)
		return instr{op: op}
	}
}

// assembleRet decodes ret, which in an entry ends the thread.
func assembleRet(d *decoder, in *ptx.Instr) instr {
	d.operands(in, 0)
	if d.fn != nil {
		return instr{op: opReturn}
	}
	return instr{op: opExit}
}

// labelNamed returns the label that op names.
func (d *decoder) labelNamed(op ptx.Operand) *int32 {
	sym, ok := op.(ptx.Symbol)
	if !ok || sym.Offset != 0 {
		d.invalid("the operand is not a label")
		return new(int32)
	}
	return d.label(sym.Name)
}

func assembleBranch(d *decoder, in *ptx.Instr) instr {
	if d.operands(in, 1) {
		d.fixups = append(d.fixups, fixup{pc: len(d.k.code), targets: []*int32{d.labelNamed(in.Args[0])}})
	}
	return instr{op: opBranch}
}

func assembleBranchIndexed(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opBranchIndexed}
	if !d.operands(in, 2) {
		return i
	}
	i.a = d.src(in.Args[0], "u32")
	f := fixup{pc: len(d.k.code), indexed: true}
	name, _ := in.Args[1].(ptx.Symbol)
	for n := len(d.scopes) - 1; n >= 0; n-- {
		text, ok := d.scopes[n].lists[name.Name]
		if !ok {
			continue
		}
		for target := range strings.SplitSeq(text, ",") {
			f.targets = append(f.targets, d.label(strings.TrimSpace(target)))
		}
		d.fixups = append(d.fixups, f)
		return i
	}
	d.invalid("%s: its .branchtargets are not declared", in.Text)
	return i
}

// branchIndexed sends each lane to the target that its index names.
func (b *block) branchIndexed(w *warp, in *instr, pc int32, e uint32, state groupState) *failure {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		index := uint32(w.regs[in.a][l])
		if int(index) >= len(in.targets) {
			return b.fault(w, pc, l, driver.ErrorLaunchFailed, "index %d of %d branch targets", index, len(in.targets))
		}
		w.push(group{pc: in.targets[index], mask: 1 << l, state: state})
	}
	return nil
}
