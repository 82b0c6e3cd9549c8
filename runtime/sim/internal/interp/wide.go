package interp

import (
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A register of 128 bits is two registers of 64, one after the other, the low half first.
//
// PTX ISA, Data Movement and Conversion Instructions: mov, ld, st of .b128; Parallel Synchronization
// and Communication Instructions: atom.cas and atom.exch of .b128.
func WideForms() []bytecode.Form {
	const scope = "cta|cluster|gpu|sys"
	const common = "global|shared|shared::cta|shared::cluster?"
	atom := "atom.relaxed|acquire|release|acq_rel?." + scope + "?." + common
	forms := []bytecode.Form{{Pattern: "mov.b128", Assemble: assembleMovWide}, {Pattern: atom + ".L2::cache_hint?.exch.b128", Assemble: assembleAtomWide}, {Pattern: atom + ".cas.b128", Assemble: assembleAtomWide}}
	for _, f := range MemoryForms() {
		access, vector := strings.CutSuffix(f.Pattern, ".v2|v4?."+memoryTypes)
		access = strings.Replace(access, "|param|param::entry|param::func", "|param|param::entry", 1)
		switch {
		case !vector || strings.HasPrefix(access, "ldu") || strings.HasPrefix(access, "st.param"):
		case strings.HasPrefix(access, "ld"):
			forms = append(forms, bytecode.Form{Pattern: access + ".b128", Assemble: assembleLdWide})
		default:
			forms = append(forms, bytecode.Form{Pattern: access + ".b128", Assemble: assembleStWide})
		}
	}
	return forms
}

// halfRegisters are the two registers of one of 128 bits.
type halfRegisters [2]int32

func wideDestination(d *bytecode.Decoder, op ptx.Operand) halfRegisters {
	r := d.Dst(op, bytecode.B128)
	if r == bytecode.RegSink {
		return halfRegisters{}
	}
	return halfRegisters{r, r + 1}
}

func wideSource(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand) halfRegisters {
	switch op := op.(type) {
	case ptx.Imm:
		if int64(op.Value) < 0 {
			d.Unsupported("a constant of 128 bits below zero, %s,", in.Text)
		}
		return halfRegisters{d.Constant(op.Value), d.Constant(0)}
	case ptx.Reg:
		if r := d.Src(op, bytecode.B128); r != bytecode.RegSink {
			d.Read.Set(r + 1)
			return halfRegisters{r, r + 1}
		}
	default:
		d.Invalid("%s: an operand of type .b128 is a register or a constant", in.Text)
	}
	return halfRegisters{}
}

// assembleMovWide assembles mov of each half.
func assembleMovWide(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	if !d.Operands(in, 2) {
		return bytecode.Instr{Op: bytecode.OpNothing}
	}
	var halves [2]bytecode.Instr
	if v, ok := in.Args[0].(ptx.Vector); ok {
		from := wideSource(d, in, in.Args[1])
		for n, part := range wideParts(d, in, v) {
			halves[n] = halfOf(d, part, bytecode.OpUnpack)
			halves[n].A = from[n]
		}
	} else if v, ok := in.Args[1].(ptx.Vector); ok {
		to := wideDestination(d, in.Args[0])
		for n, part := range wideParts(d, in, v) {
			halves[n] = halfOf(d, part, bytecode.OpPack)
			halves[n].Dst = to[n]
		}
	} else {
		from, to := wideSource(d, in, in.Args[1]), wideDestination(d, in.Args[0])
		for n := range halves {
			halves[n] = bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Fast.Mov, Dst: to[n], A: from[n]}
		}
	}
	d.EmitGuarded(halves[0], in)
	return halves[1]
}

// wideParts returns the elements that make up each half: one of 64 bits or two of 32.
func wideParts(d *bytecode.Decoder, in *ptx.Instr, v ptx.Vector) (parts [2][]ptx.Operand) {
	if len(v.Elems) != 2 && len(v.Elems) != 4 {
		d.Invalid("%s: %d elements do not make up a .b128", in.Text, len(v.Elems))
		return parts
	}
	d.Alike(in, v.Elems)
	half := len(v.Elems) / 2
	return [2][]ptx.Operand{v.Elems[:half], v.Elems[half:]}
}

// halfOf moves elements to a half or, with OpUnpack, from one.
func halfOf(d *bytecode.Decoder, elems []ptx.Operand, op bytecode.Opcode) (i bytecode.Instr) {
	switch {
	case len(elems) == 0:
		return bytecode.Instr{Op: bytecode.OpNothing}
	case len(elems) > 1:
		return arithmetic.DecodeVector(d, ptx.Vector{Elems: elems}, op, "b64")
	case op == bytecode.OpPack:
		return bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Fast.Mov, A: d.Src(elems[0], "b64")}
	}
	return bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Fast.Mov, Dst: d.Dst(elems[0], "b64")}
}

// assembleLdWide assembles a load of two halves.
func assembleLdWide(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	if !d.Operands(in, 2) {
		return bytecode.Instr{Op: bytecode.OpLoad}
	}
	i := accessWide(d, in, in.Args[1])
	to := wideDestination(d, in.Args[0])
	i.Op, i.Load, i.LoadWhole = bytecode.OpLoad, loads["b64"], simd.WholeLoads["b64"]
	if i.Strong {
		i.Load, i.LoadWhole = strongLoads["b64"], nil
	}
	i.Vec[0], i.Vec[1] = to[0], to[1]
	return i
}

// assembleStWide assembles a store of two halves.
func assembleStWide(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	if !d.Operands(in, 2) {
		return bytecode.Instr{Op: bytecode.OpStore}
	}
	i := accessWide(d, in, in.Args[0])
	from := wideSource(d, in, in.Args[1])
	i.Op, i.Store, i.StoreWhole = bytecode.OpStore, stores[8], simd.WholeStores[8]
	if i.Strong {
		i.Store, i.StoreWhole = strongStores[8], nil
	}
	i.Vec[0], i.Vec[1] = from[0], from[1]
	return i
}

// accessWide decodes the address of 128 bits. Of strong accesses the halves must not be seen apart, so
// the blocks run one after another.
func accessWide(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand) bytecode.Instr {
	i := d.Access(in, op, "b64", 2)
	if i.Strong, i.IsVolatile = strong(in), bytecode.Has(in, "volatile"); i.Strong {
		d.K.Ordered = true
	}
	return i
}

// A wideAtomic is atom.cas or atom.exch of 128 bits.
type wideAtomic struct {
	at        bytecode.Address
	dst, b, c halfRegisters
	compares  bool
}

func (o *wideAtomic) Registers() []*int32 {
	return append(bytecode.PointersTo(o.dst[:], o.b[:], o.c[:]), &o.at.In.A)
}

func assembleAtomWide(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	o := &wideAtomic{compares: bytecode.Has(in, "cas")}
	want := 3
	if o.compares {
		want = 4
	}
	if !d.Operands(in, want) {
		return bytecode.Performs(o)
	}
	o.dst = wideDestination(d, in.Args[0])
	o.at = d.AddressIn(in, in.Args[1], bytecode.SpaceOf(in))
	o.at.In.Op, o.at.In.Size, o.at.In.Elems = bytecode.OpAtomic, 8, 2
	o.b = wideSource(d, in, in.Args[2])
	if o.compares {
		o.c = wideSource(d, in, in.Args[3])
	}
	d.K.Ordered = d.K.Ordered || o.at.In.Space != bytecode.Shared
	return bytecode.Performs(o)
}

// wideAtomics is held while one is executed: of launches, several may be under way.
var wideAtomics sync.Mutex

func (o *wideAtomic) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	wideAtomics.Lock()
	defer wideAtomics.Unlock()
	if b.profile != nil {
		b.profile.Update(&o.at.In, pc, w.number(), e, &w.regs[o.at.In.A])
	}
	return each(e, func(lane int) *Failure {
		p, fault := b.bytes(&o.at, w, pc, lane, 0, 16, updates)
		if fault != nil {
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
