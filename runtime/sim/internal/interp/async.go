package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// PTX ISA, Data Movement and Conversion Instructions: Asynchronous Copy. A copy is done when
// it is issued, so nothing waits for it.
func asyncForms() []bytecode.Form {
	const prefetch = "L2::cache_hint?.L2::64B|L2::128B|L2::256B?"
	const smem = "shared|shared::cta"
	return []bytecode.Form{
		{Pattern: "cp.async.ca|cg." + smem + ".global." + prefetch, Assemble: assembleCpAsync},
		{Pattern: "cp.async.commit_group", Assemble: groups(copyGroup{commit: true})},
		{Pattern: "cp.async.wait_all", Assemble: groups(copyGroup{all: true})},
		{Pattern: "cp.async.wait_group", Assemble: waitGroup(false)},
		{Pattern: "cp.async.bulk.commit_group", Assemble: groups(copyGroup{bulk: true, commit: true})},
		{Pattern: "cp.async.bulk.wait_group.read?", Assemble: waitGroup(true)},
	}
}

// groups makes the assembler of an instruction without operands.
func groups(g copyGroup) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		d.Operands(in, 0)
		own := g
		return bytecode.Performs(&own)
	}
}

// waitGroup makes the assembler of the wait for all groups but the last so many.
func waitGroup(bulk bool) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		g := &copyGroup{bulk: bulk}
		if d.Operands(in, 1) {
			if n, ok := in.Args[0].(ptx.Imm); ok {
				g.last = n.Value
			} else {
				d.Invalid("%s: the operand is not a constant", in.Text)
			}
		}
		return bytecode.Performs(g)
	}
}

// An asyncCopy is cp.async [dst], [src], size{, sourceSize | ignore}: what the source does not
// have becomes zero.
type asyncCopy struct {
	dst, src   bytecode.Address
	size       uint64
	sourceSize int32 // register
	ignore     bytecode.Predicate
}

func (*asyncCopy) Moves() (data []int32, stores bool) { return nil, false }

func (c *asyncCopy) Registers() []*int32 {
	return []*int32{&c.dst.In.A, &c.src.In.A, &c.sourceSize}
}

func assembleCpAsync(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	c := &asyncCopy{ignore: bytecode.Predicate{Index: bytecode.PredTrue, Flip: bytecode.Full}}
	args := in.Args
	if bytecode.Has(in, "L2::cache_hint") && len(args) > 3 {
		d.Src(args[len(args)-1], "b64")
		args = args[:len(args)-1]
	}
	if len(args) != 3 && len(args) != 4 {
		d.Operands(in, 3)
		return bytecode.Performs(c)
	}
	size, ok := args[2].(ptx.Imm)
	if !ok || size.Value != 16 && (in.Mods[1] == "cg" || size.Value != 4 && size.Value != 8) {
		d.Invalid("%s: a copy has 4, 8 or 16 bytes, with .cg 16", in.Text)
		return bytecode.Performs(c)
	}
	c.size = size.Value
	c.dst, c.src = d.AddressIn(in, args[0], bytecode.Shared), d.AddressIn(in, args[1], bytecode.Global)
	c.dst.Ordered = true
	c.sourceSize = d.Constant(c.size)
	if len(args) == 4 && isPredicate(d, args[3]) {
		c.ignore = d.PredSrc(args[3])
	} else if len(args) == 4 {
		c.sourceSize = d.Src(args[3], "u32")
		if n, ok := args[3].(ptx.Imm); ok && n.Value > c.size {
			d.Invalid("%s: the source has more bytes than the copy, %d", in.Text, c.size)
		}
	}
	return bytecode.Performs(c)
}

// isPredicate reports whether op names a predicate register.
func isPredicate(d *bytecode.Decoder, op ptx.Operand) bool {
	reg, ok := op.(ptx.Reg)
	if !ok {
		_, negated := op.(ptx.Not)
		return negated
	}
	r, known := d.Lookup(reg.Name)
	return known && r.Typ == "pred"
}

func (c *asyncCopy) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	ignored := w.pred(c.ignore)
	return each(e, func(lane int) *Failure {
		to, fault := b.bytes(&c.dst, w, pc, lane, 0, c.size, writes)
		if fault != nil {
			return fault
		}
		if b.races != nil {
			b.races.copyAsync(w, pc, lane, b.races.cellOf(b, w, &c.dst, lane), c.size)
		}
		dst := unsafe.Slice((*byte)(to), c.size)
		have := min(uint64(uint32(w.regs[c.sourceSize][lane])), c.size)
		if ignored>>lane&1 != 0 {
			have = 0
		}
		clear(dst[have:])
		if have == 0 {
			return nil
		}
		from, fault := c.source(b, w, pc, lane, have)
		if fault != nil {
			return fault
		}
		copy(dst, unsafe.Slice((*byte)(from), have))
		return nil
	})
}

// source returns what a lane reads. The rest of a source of fewer bytes need not be there.
func (c *asyncCopy) source(b *block, w *warp, pc int32, lane int, have uint64) (unsafe.Pointer, *Failure) {
	if addr := w.addressOf(&c.src, lane); have < c.size && addr%c.size == 0 {
		return b.span(&c.src, w, pc, lane, addr, have, reads)
	}
	return b.bytes(&c.src, w, pc, lane, 0, c.size, reads)
}
