package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
)

// PTX ISA, Data Movement and Conversion Instructions: Asynchronous Copy. A copy is done when
// it is issued, so nothing waits for it.
func asyncForms() []form {
	const prefetch = "L2::cache_hint?.L2::64B|L2::128B|L2::256B?"
	const smem = "shared|shared::cta"
	return []form{
		{"cp.async.ca|cg." + smem + ".global." + prefetch, assembleCpAsync},
		{"cp.async.commit_group", groups(copyGroup{commit: true})},
		{"cp.async.wait_all", groups(copyGroup{all: true})},
		{"cp.async.wait_group", waitGroup(false)},
		{"cp.async.bulk.commit_group", groups(copyGroup{bulk: true, commit: true})},
		{"cp.async.bulk.wait_group.read?", waitGroup(true)},
	}
}

// groups makes the assembler of an instruction without operands.
func groups(g copyGroup) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		d.operands(in, 0)
		own := g
		return performs(&own)
	}
}

// waitGroup makes the assembler of the wait for all groups but the last so many.
func waitGroup(bulk bool) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		g := &copyGroup{bulk: bulk}
		if d.operands(in, 1) {
			if n, ok := in.Args[0].(ptx.Imm); ok {
				g.last = n.Value
			} else {
				d.invalid("%s: the operand is not a constant", in.Text)
			}
		}
		return performs(g)
	}
}

// An asyncCopy is cp.async [dst], [src], size{, sourceSize | ignore}: what the source does not
// have becomes zero.
type asyncCopy struct {
	dst, src   address
	size       uint64
	sourceSize int32 // register
	ignore     predicate
}

func (c *asyncCopy) registers() []*int32 {
	return []*int32{&c.dst.in.a, &c.src.in.a, &c.sourceSize}
}

func assembleCpAsync(d *decoder, in *ptx.Instr) instr {
	c := &asyncCopy{ignore: predicate{predTrue, full}}
	args := in.Args
	if has(in, "L2::cache_hint") && len(args) > 3 {
		d.src(args[len(args)-1], "b64")
		args = args[:len(args)-1]
	}
	if len(args) != 3 && len(args) != 4 {
		d.operands(in, 3)
		return performs(c)
	}
	size, ok := args[2].(ptx.Imm)
	if !ok || size.Value != 16 && (in.Mods[1] == "cg" || size.Value != 4 && size.Value != 8) {
		d.invalid("%s: a copy has 4, 8 or 16 bytes, with .cg 16", in.Text)
		return performs(c)
	}
	c.size = size.Value
	c.dst, c.src = d.addressIn(in, args[0], shared), d.addressIn(in, args[1], global)
	c.dst.ordered = true
	c.sourceSize = d.constant(c.size)
	if len(args) == 4 && d.isPredicate(args[3]) {
		c.ignore = d.predSrc(args[3])
	} else if len(args) == 4 {
		c.sourceSize = d.src(args[3], "u32")
		if n, ok := args[3].(ptx.Imm); ok && n.Value > c.size {
			d.invalid("%s: the source has more bytes than the copy, %d", in.Text, c.size)
		}
	}
	return performs(c)
}

// isPredicate reports whether op names a predicate register.
func (d *decoder) isPredicate(op ptx.Operand) bool {
	reg, ok := op.(ptx.Reg)
	if !ok {
		_, negated := op.(ptx.Not)
		return negated
	}
	r, known := d.lookup(reg.Name)
	return known && r.typ == "pred"
}

func (c *asyncCopy) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	ignored := w.pred(c.ignore)
	return each(e, func(lane int) *failure {
		to, fault := c.dst.bytes(b, w, pc, lane, 0, c.size, true)
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
		from, fault := c.src.bytes(b, w, pc, lane, 0, c.size, false)
		if fault != nil && have == c.size {
			return fault
		}
		if fault != nil { // the rest of the source need not be there
			for n := range have {
				p, fault := c.src.bytes(b, w, pc, lane, n, 1, false)
				if fault != nil {
					return fault
				}
				dst[n] = *(*byte)(p)
			}
			return nil
		}
		copy(dst, unsafe.Slice((*byte)(from), have))
		return nil
	})
}
