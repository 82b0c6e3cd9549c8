package interp

import (
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// Loads and stores of 32 bytes, which came with sm_100.
//
// PTX ISA, Data Movement and Conversion Instructions: ld, ld.global.nc, st, of .v8 with .b32 and .v4 with .b64.
func LongForms() []bytecode.Form {
	const evict1 = "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
	const evict2 = ".L2::evict_last|L2::evict_normal|L2::evict_first?.L2::cache_hint?"
	const prefetch = ".L2::64B|L2::128B|L2::256B?"
	var forms []bytecode.Form
	for _, elements := range []string{".v8.b32|f32", ".v4.b64|u64|s64|f64"} {
		forms = append(forms,
			bytecode.Form{Pattern: "ld.weak?.global?.ca|cg|cs|lu|cv?" + evict2 + prefetch + elements, Assemble: assembleLong},
			bytecode.Form{Pattern: "ld.weak?.global?." + evict1 + evict2 + prefetch + elements, Assemble: assembleLong},
			bytecode.Form{Pattern: "ld.global.ca|cg|cs?.nc" + evict2 + prefetch + elements, Assemble: assembleLong},
			bytecode.Form{Pattern: "ld.global.nc." + evict1 + evict2 + prefetch + elements, Assemble: assembleLong},
			bytecode.Form{Pattern: "st.weak?.global?.wb|cg|cs|wt?" + evict2 + elements, Assemble: assembleLong},
			bytecode.Form{Pattern: "st.weak?.global?." + evict1 + evict2 + elements, Assemble: assembleLong})
	}
	for n := range forms {
		forms[n].Assemble = arithmetic.Since(arithmetic.Blackwell, forms[n].Assemble)
	}
	return forms
}

// A longAccess is a load or store of 32 bytes.
type longAccess struct {
	at    bytecode.Address
	regs  []int32
	size  uint64 // bytes of an element
	store bool
}

// longBytes is what a longAccess accesses.
const longBytes = 32

func (o *longAccess) Moves() (data []int32, stores bool) { return o.regs, o.store }

func (o *longAccess) Registers() []*int32 { return append(bytecode.PointersTo(o.regs), &o.at.In.A) }

func assembleLong(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	t := bytecode.LastType(in)
	o := &longAccess{size: uint64(t.Size()), store: in.Op == "st"}
	if !d.Operands(in, 2) {
		return bytecode.Performs(o)
	}
	data, at, one := in.Args[0], in.Args[1], d.WideDst
	if o.store {
		data, at, one = at, data, func(op ptx.Operand, t ptx.Type) int32 { return orNothing(d, op, t) }
	}
	o.at = d.AddressIn(in, at, bytecode.SpaceOf(in))
	o.regs = d.VectorOf(in, data, longBytes/int(o.size), one, t)
	if v, ok := data.(ptx.Vector); ok {
		d.Alike(in, v.Elems)
	}
	return bytecode.Performs(o)
}

// nothing stands for an element that is not stored.
const nothing = -1

// orNothing is WideSrc, or nothing for _.
func orNothing(d *bytecode.Decoder, op ptx.Operand, t ptx.Type) int32 {
	if sym, ok := op.(ptx.Symbol); ok && sym.Name == "_" {
		return nothing
	}
	return d.WideSrc(op, t)
}

func (o *longAccess) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	masked := slices.Contains(o.regs, nothing)
	return each(e, func(lane int) *Failure {
		if masked {
			return o.storeSome(b, w, pc, lane)
		}
		p, fault := b.bytes(&o.at, w, pc, lane, 0, longBytes, kindOf(o.store))
		if fault != nil {
			return fault
		}
		for n, r := range o.regs {
			if element := unsafe.Add(p, uint64(n)*o.size); o.store {
				storeElement(element, o.size, w.regs[r][lane])
			} else {
				w.regs[r][lane] = loadElement(element, o.size)
			}
		}
		return nil
	})
}

// storeSome stores the elements of a lane that are not nothing.
func (o *longAccess) storeSome(b *block, w *warp, pc int32, lane int) *Failure {
	if addr := w.addressOf(&o.at, lane); addr%longBytes != 0 {
		return b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "global address %#x is not aligned to %d bytes", addr, longBytes)
	}
	for n, r := range o.regs {
		if r == nothing {
			continue
		}
		p, fault := b.bytes(&o.at, w, pc, lane, uint64(n)*o.size, o.size, writes)
		if fault != nil {
			return fault
		}
		storeElement(p, o.size, w.regs[r][lane])
	}
	return nil
}

// long follows longAccess.
func (s *shadow) long(w *warp, ws *warpShadow, o *longAccess, e uint32) {
	for n, r := range o.regs {
		if r == nothing {
			continue
		}
		var loaded simd.Lanes
		each(e, func(lane int) *Failure {
			at := s.at(w, &o.at, lane, uint64(n)*o.size, o.size, o.store && ws.regs[r][lane] != 0)
			switch {
			case at != nil && o.store:
				WriteWord(at, ws.regs[r][lane])
			case at != nil:
				loaded[lane] = readWord(at)
			}
			return nil
		})
		if !o.store {
			s.set(ws, r, &loaded, e)
		}
	}
}
