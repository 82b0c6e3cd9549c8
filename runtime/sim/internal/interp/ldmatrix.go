package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: ldmatrix, stmatrix, movmatrix.
func matrixMoveForms() []bytecode.Form {
	var forms []bytecode.Form
	for count, x := range map[int]string{1: "x1", 2: "x2", 4: "x4"} {
		forms = append(forms,
			bytecode.Form{Pattern: "ldmatrix.sync.aligned.m8n8." + x + ".trans?.shared|shared::cta?.b16", Assemble: assembleLdmatrix(count)},
			bytecode.Form{Pattern: "stmatrix.sync.aligned.m8n8." + x + ".trans?.shared|shared::cta?.b16", Assemble: assembleLdmatrix(count)})
	}
	return append(forms, bytecode.Form{Pattern: "movmatrix.sync.aligned.m8n8.trans.b16", Assemble: assembleMovmatrix})
}

func loadElement(p unsafe.Pointer, size uint64) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func storeElement(p unsafe.Pointer, size, value uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(value)
	case 2:
		*(*uint16)(p) = uint16(value)
	case 4:
		*(*uint32)(p) = uint32(value)
	default:
		*(*uint64)(p) = value
	}
}

// A matrixMove moves matrices of 8 by 8 elements of 16 bits between registers, in the fragment
// of mma, and shared memory. Lanes 8n to 8n+7 have the addresses of the rows of the nth matrix.
type matrixMove struct {
	at         bytecode.Address
	transposed bool
	store      bool
	regs       []int32
}

func (o *matrixMove) Moves() (data []int32, stores bool) { return o.regs, o.store }

func (m *matrixMove) Registers() []*int32 { return append(bytecode.PointersTo(m.regs), &m.at.In.A) }

func assembleLdmatrix(count int) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		m := &matrixMove{transposed: bytecode.Has(in, "trans"), store: in.Op == "stmatrix"}
		if !d.Operands(in, 2) {
			return bytecode.Performs(m)
		}
		if m.store {
			m.at, m.regs = d.AddressIn(in, in.Args[0], bytecode.SpaceOf(in)), d.VectorOf(in, in.Args[1], count, d.Src, "b32")
		} else {
			m.at, m.regs = d.AddressIn(in, in.Args[1], bytecode.SpaceOf(in)), d.VectorOf(in, in.Args[0], count, d.Dst, "b32")
		}
		return bytecode.Performs(m)
	}
}

func (m *matrixMove) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	var rows [32]*[8]uint16
	for lane := range 8 * len(m.regs) {
		if e>>lane&1 == 0 {
			return b.fault(w, pc, bits.TrailingZeros32(e), driver.ErrorLaunchFailed, "lane %d, which has the address of a row, does not take part", lane)
		}
		p, fault := b.bytes(&m.at, w, pc, lane, 0, 16, kindOf(m.store))
		if fault != nil {
			return fault
		}
		rows[lane] = (*[8]uint16)(p)
	}
	for n := range m.regs {
		var loaded simd.Lanes
		for lane := range bytecode.WarpSize {
			for j := range 2 {
				row, col := lane/4, lane%4*2+j
				if m.transposed {
					row, col = col, row
				}
				element := &rows[8*n+row][col]
				if m.store {
					if e>>lane&1 != 0 {
						*element = uint16(w.regs[m.regs[n]][lane] >> (16 * j))
					}
				} else {
					loaded[lane] |= uint64(*element) << (16 * j)
				}
			}
		}
		if !m.store {
			blend(&w.regs[m.regs[n]], &loaded, e)
		}
	}
	return nil
}

// A matrixTranspose is movmatrix.
type matrixTranspose struct{ dst, src int32 }

func (m *matrixTranspose) Registers() []*int32 { return []*int32{&m.dst, &m.src} }

func assembleMovmatrix(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	m := &matrixTranspose{}
	if d.Operands(in, 2) {
		m.dst, m.src = d.Dst(in.Args[0], "b32"), d.Src(in.Args[1], "b32")
	}
	return bytecode.Performs(m)
}

func (m *matrixTranspose) run(_ *block, w *warp, _ *bytecode.Instr, _ int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	var moved simd.Lanes
	for lane := range bytecode.WarpSize {
		for j := range 2 {
			row, col := lane%4*2+j, lane/4 // of the source
			element := w.regs[m.src][row*4+col/2] >> (col % 2 * 16) & 0xffff
			moved[lane] |= element << (16 * j)
		}
	}
	blend(&w.regs[m.dst], &moved, e)
	return nil
}
