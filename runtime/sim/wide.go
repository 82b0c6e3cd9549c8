package sim

import (
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A register of 128 bits is two registers of 64, one after the other, the low half first.
//
// PTX ISA, Data Movement and Conversion Instructions: mov, ld, st of .b128; Parallel Synchronization
// and Communication Instructions: atom.cas and atom.exch of .b128.
func wideForms() []form {
	const scope = "cta|cluster|gpu|sys"
	const common = "global|shared|shared::cta|shared::cluster?"
	atom := "atom.relaxed|acquire|release|acq_rel?." + scope + "?." + common
	forms := []form{{"mov.b128", assembleMovWide}, {atom + ".L2::cache_hint?.exch.b128", assembleAtomWide}, {atom + ".cas.b128", assembleAtomWide}}
	for _, f := range memoryForms() {
		access, vector := strings.CutSuffix(f.pattern, ".v2|v4?."+memoryTypes)
		access = strings.Replace(access, "|param|param::entry|param::func", "|param|param::entry", 1)
		switch {
		case !vector || strings.HasPrefix(access, "ldu") || strings.HasPrefix(access, "st.param"):
		case strings.HasPrefix(access, "ld"):
			forms = append(forms, form{access + ".b128", assembleLdWide})
		default:
			forms = append(forms, form{access + ".b128", assembleStWide})
		}
	}
	return forms
}

const b128 = ptx.Type("b128")

// halfRegisters are the two registers of one of 128 bits.
type halfRegisters [2]int32

func (d *decoder) wideDestination(op ptx.Operand) halfRegisters {
	r := d.dst(op, b128)
	if r == regSink {
		return halfRegisters{}
	}
	return halfRegisters{r, r + 1}
}

func (d *decoder) wideSource(in *ptx.Instr, op ptx.Operand) halfRegisters {
	switch op := op.(type) {
	case ptx.Imm:
		if int64(op.Value) < 0 {
			d.unsupported("a constant of 128 bits below zero, %s,", in.Text)
		}
		return halfRegisters{d.constant(op.Value), d.constant(0)}
	case ptx.Reg:
		if r := d.src(op, b128); r != regSink {
			d.read[r+1] = true
			return halfRegisters{r, r + 1}
		}
	default:
		d.invalid("%s: an operand of type .b128 is a register or a constant", in.Text)
	}
	return halfRegisters{}
}

// assembleMovWide assembles mov of each half.
func assembleMovWide(d *decoder, in *ptx.Instr) instr {
	if !d.operands(in, 2) {
		return instr{op: opNothing}
	}
	var halves [2]instr
	if v, ok := in.Args[0].(ptx.Vector); ok {
		from := d.wideSource(in, in.Args[1])
		for n, part := range d.wideParts(in, v) {
			halves[n] = d.halfOf(part, opUnpack)
			halves[n].a = from[n]
		}
	} else if v, ok := in.Args[1].(ptx.Vector); ok {
		to := d.wideDestination(in.Args[0])
		for n, part := range d.wideParts(in, v) {
			halves[n] = d.halfOf(part, opPack)
			halves[n].dst = to[n]
		}
	} else {
		from, to := d.wideSource(in, in.Args[1]), d.wideDestination(in.Args[0])
		for n := range halves {
			halves[n] = instr{op: opLanes, fn: simd.Fast.Mov, dst: to[n], a: from[n]}
		}
	}
	d.emitGuarded(halves[0], in)
	return halves[1]
}

// wideParts returns the elements that make up each half: one of 64 bits or two of 32.
func (d *decoder) wideParts(in *ptx.Instr, v ptx.Vector) (parts [2][]ptx.Operand) {
	if len(v.Elems) != 2 && len(v.Elems) != 4 {
		d.invalid("%s: %d elements do not make up a .b128", in.Text, len(v.Elems))
		return parts
	}
	d.alike(in, v.Elems)
	half := len(v.Elems) / 2
	return [2][]ptx.Operand{v.Elems[:half], v.Elems[half:]}
}

// halfOf moves elements to a half or, with opUnpack, from one.
func (d *decoder) halfOf(elems []ptx.Operand, op opcode) (i instr) {
	switch {
	case len(elems) == 0:
		return instr{op: opNothing}
	case len(elems) > 1:
		return d.vector(ptx.Vector{Elems: elems}, op, "b64")
	case op == opPack:
		return instr{op: opLanes, fn: simd.Fast.Mov, a: d.src(elems[0], "b64")}
	}
	return instr{op: opLanes, fn: simd.Fast.Mov, dst: d.dst(elems[0], "b64")}
}

// assembleLdWide assembles a load of two halves.
func assembleLdWide(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	if !d.operands(in, 2) {
		return instr{op: opLoad}
	}
	i := d.accessWide(in, in.Args[1])
	to := d.wideDestination(in.Args[0])
	i.op, i.load, i.loadWhole = opLoad, loads["b64"], simd.WholeLoads["b64"]
	if i.strong {
		i.load, i.loadWhole = strongLoads["b64"], nil
	}
	i.vec[0], i.vec[1] = to[0], to[1]
	return i
}

// assembleStWide assembles a store of two halves.
func assembleStWide(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	if !d.operands(in, 2) {
		return instr{op: opStore}
	}
	i := d.accessWide(in, in.Args[0])
	from := d.wideSource(in, in.Args[1])
	i.op, i.store, i.storeWhole = opStore, stores[8], simd.WholeStores[8]
	if i.strong {
		i.store, i.storeWhole = strongStores[8], nil
	}
	i.vec[0], i.vec[1] = from[0], from[1]
	return i
}

// accessWide decodes the address of 128 bits. Of strong accesses the halves must not be seen apart, so
// the blocks run one after another.
func (d *decoder) accessWide(in *ptx.Instr, op ptx.Operand) instr {
	i := d.access(in, op, "b64", 2)
	if i.strong, i.isVolatile = strong(in), has(in, "volatile"); i.strong {
		d.k.ordered = true
	}
	return i
}

// A wideAtomic is atom.cas or atom.exch of 128 bits.
type wideAtomic struct {
	at        address
	dst, b, c halfRegisters
	compares  bool
}

func (o *wideAtomic) registers() []*int32 {
	return append(pointersTo(o.dst[:], o.b[:], o.c[:]), &o.at.in.a)
}

func assembleAtomWide(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	o := &wideAtomic{compares: has(in, "cas")}
	want := 3
	if o.compares {
		want = 4
	}
	if !d.operands(in, want) {
		return performs(o)
	}
	o.dst = d.wideDestination(in.Args[0])
	o.at = d.addressIn(in, in.Args[1], spaceOf(in))
	o.b = d.wideSource(in, in.Args[2])
	if o.compares {
		o.c = d.wideSource(in, in.Args[3])
	}
	d.k.ordered = d.k.ordered || o.at.in.space != shared
	return performs(o)
}

// wideAtomics is held while one is executed: of launches, several may be under way.
var wideAtomics sync.Mutex

func (o *wideAtomic) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	wideAtomics.Lock()
	defer wideAtomics.Unlock()
	return each(e, func(lane int) *failure {
		p, fault := o.at.bytes(b, w, pc, lane, 0, 16, false)
		if fault != nil {
			return fault
		}
		if _, fault := o.at.span(b, w, pc, lane, o.at.of(w, lane), 16, updates); fault != nil { // it may be written
			return fault
		}
		of := func(r halfRegisters) [2]uint64 { return [2]uint64{w.regs[r[0]][lane], w.regs[r[1]][lane]} }
		memory := (*[2]uint64)(p)
		old := *memory
		switch {
		case !o.compares:
			*memory = of(o.b)
		case old == of(o.b):
			*memory = of(o.c)
		}
		w.regs[o.dst[0]][lane], w.regs[o.dst[1]][lane] = old[0], old[1]
		return nil
	})
}
