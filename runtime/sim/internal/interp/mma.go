package interp

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
)

// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: mma, wmma.
func MatrixForms() []bytecode.Form {
	const mma, wmma = "mma.sync.aligned.", "wmma.mma.sync.aligned.row|col.row|col."
	const f16Shapes, eightBit = "m16n16k16|m32n8k16|m8n32k16", "m16n16k16|m32n8k16|m8n32k16"
	forms := []bytecode.Form{
		{Pattern: mma + "m16n8k8|m16n8k16.row.col.f16.f16.f16.f16", Assemble: assembleMMA},
		{Pattern: mma + "m16n8k8|m16n8k16.row.col.f32.f16.f16.f32", Assemble: assembleMMA},
		{Pattern: mma + "m16n8k8|m16n8k16.row.col.f32.bf16.bf16.f32", Assemble: assembleMMA},
		{Pattern: mma + "m16n8k4|m16n8k8.row.col.f32.tf32.tf32.f32", Assemble: assembleMMA},
		{Pattern: mma + "m8n8k4|m16n8k4|m16n8k8|m16n8k16.row.col.f64.f64.f64.f64.rn|rz|rm|rp?", Assemble: assembleMMA},
		{Pattern: mma + "m16n8k16|m16n8k32.row.col.f16.e4m3|e5m2.e4m3|e5m2.f16", Assemble: assembleMMA},
		{Pattern: mma + "m16n8k16|m16n8k32.row.col.f32.e4m3|e5m2.e4m3|e5m2.f32", Assemble: assembleMMA},
		{Pattern: mma + "m8n8k16|m16n8k16|m16n8k32.row.col.satfinite?.s32.u8|s8.u8|s8.s32", Assemble: assembleMMA},
		{Pattern: mma + "m8n8k32|m16n8k32|m16n8k64.row.col.satfinite?.s32.u4|s4.u4|s4.s32", Assemble: assembleMMA},
		{Pattern: mma + "m8n8k128|m16n8k128|m16n8k256.row.col.s32.b1.b1.s32.xor|and.popc", Assemble: assembleMMA},
		{Pattern: wmma + f16Shapes + ".f16|f32.f16|f32.satfinite?", Assemble: assembleMMA},
		{Pattern: wmma + f16Shapes + ".f16|f32.f16.f16.f16|f32", Assemble: assembleMMA},
		{Pattern: wmma + f16Shapes + ".f32.bf16.bf16.f32", Assemble: assembleMMA},
		{Pattern: wmma + "m16n16k8.f32.tf32.tf32.f32", Assemble: assembleMMA},
		{Pattern: wmma + eightBit + ".s32.u8|s8.u8|s8.s32.satfinite?", Assemble: assembleMMA},
		{Pattern: mma + "m8n8k4.row|col.row|col.f16|f32.f16.f16.f16", Assemble: assembleQuadProduct},
		{Pattern: mma + "m8n8k4.row|col.row|col.f32.f16.f16.f32", Assemble: assembleQuadProduct},
		{Pattern: "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite?", Assemble: assembleMMA},
		{Pattern: "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite?", Assemble: assembleMMA},
		{Pattern: "wmma.mma.xor|and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", Assemble: assembleMMA},
		{Pattern: "wmma.load.a.sync.aligned.row.m8n8k32.global|shared|shared::cta?.u4|s4", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.b.sync.aligned.col.m8n8k32.global|shared|shared::cta?.u4|s4", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.a.sync.aligned.row.m8n8k128.global|shared|shared::cta?.b1", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.b.sync.aligned.col.m8n8k128.global|shared|shared::cta?.b1", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.c.sync.aligned.row|col.m8n8k32|m8n8k128.global|shared|shared::cta?.s32", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.store.d.sync.aligned.row|col.m8n8k32|m8n8k128.global|shared|shared::cta?.s32", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.mma.sync.aligned.row|col.row|col.m8n8k4.f64.f64.f64.f64.rn|rz|rm|rp?", Assemble: assembleMMA},
		{Pattern: "wmma.load.a|b.sync.aligned.row|col." + f16Shapes + ".global|shared|shared::cta?.f16|bf16|u8|s8", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.a|b.sync.aligned.row|col.m16n16k8.global|shared|shared::cta?.tf32", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.a|b|c.sync.aligned.row|col.m8n8k4.global|shared|shared::cta?.f64", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.load.c.sync.aligned.row|col." + f16Shapes + "|m16n16k8.global|shared|shared::cta?.f16|f32|s32", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.store.d.sync.aligned.row|col." + f16Shapes + "|m16n16k8.global|shared|shared::cta?.f16|f32|s32", Assemble: assembleWmmaAccess},
		{Pattern: "wmma.store.d.sync.aligned.row|col.m8n8k4.global|shared|shared::cta?.f64", Assemble: assembleWmmaAccess},
	}
	return forms
}

// ElementTypes returns the types of d, a, b and c; wmma of f16 names only d's and c's.
func ElementTypes(in *ptx.Instr) (types []string) {
	for _, mod := range in.Mods {
		if _, known := matrix.Numerics[mod]; known {
			types = append(types, mod)
		}
	}
	if len(types) == 2 {
		types = []string{types[0], "f16", "f16", types[1]}
	}
	return types
}

// wmmaRegisters is how many registers a fragment of wmma has: f16 has more than it needs.
func wmmaRegisters(in *ptx.Instr, f *matrix.Fragment, role byte, t string) int {
	if in.Op == "wmma" && t == "f16" && role != 'c' {
		return 8
	}
	return f.Registers()
}

func assembleMMA(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	types, s := ElementTypes(in), ShapeOf(in)
	p := &matrixProduct{Product: matrix.Product{
		Shape: s, Result: types[0], Saturate: bytecode.Has(in, "satfinite"),
		TypeA: matrix.Numerics[types[1]], TypeB: matrix.Numerics[types[2]], TypeC: matrix.Numerics[types[3]],
	}}
	for name, mode := range arithmetic.Modes {
		if bytecode.Has(in, name) {
			p.Mode = mode
		}
	}
	if bytecode.Has(in, "xor") {
		p.Bitwise = func(a, b int64) int64 { return a ^ b }
	} else if bytecode.Has(in, "and") {
		p.Bitwise = func(a, b int64) int64 { return a & b }
	}
	p.a, p.b = matrix.FragmentOf('a', s, p.TypeA.Bits), matrix.FragmentOf('b', s, p.TypeB.Bits)
	p.c, p.d = matrix.FragmentOf('c', s, p.TypeC.Bits), matrix.FragmentOf('c', s, matrix.Numerics[types[0]].Bits)
	if d.Operands(in, 4) {
		p.regD = d.VectorOf(in, in.Args[0], wmmaRegisters(in, p.d, 'c', types[0]), d.Dst, matrixRegister(types[0]))
		p.regA = d.VectorOf(in, in.Args[1], wmmaRegisters(in, p.a, 'a', types[1]), d.Src, matrixRegister(types[1]))
		p.regB = d.VectorOf(in, in.Args[2], wmmaRegisters(in, p.b, 'b', types[2]), d.Src, matrixRegister(types[2]))
		p.regC = d.VectorOf(in, in.Args[3], wmmaRegisters(in, p.c, 'c', types[3]), d.Src, matrixRegister(types[3]))
	}
	return bytecode.Performs(p)
}

// matrixRegister is the type of a register that holds elements of type t.
func matrixRegister(t string) ptx.Type {
	switch t {
	case "f64", "f32", "s32":
		return ptx.Type(t)
	}
	return "b32"
}

// A matrixAccess loads or stores a fragment of wmma.
type matrixAccess struct {
	f         *matrix.Fragment
	size      uint64 // bytes of an element
	byColumns bool
	store     bool
	at        bytecode.Address
	stride    int32 // register
	regs      []int32
}

func (m *matrixAccess) Registers() []*int32 {
	return append(bytecode.PointersTo(m.regs), &m.at.In.A, &m.stride)
}

func assembleWmmaAccess(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	role, t, s := in.Mods[1][0], string(bytecode.LastType(in)), ShapeOf(in)
	if role == 'd' {
		role = 'c'
	}
	m := &matrixAccess{f: matrix.FragmentOf(role, s, matrix.Numerics[t].Bits), size: max(1, uint64(matrix.Numerics[t].Bits/8)), byColumns: bytecode.Has(in, "col"), store: in.Mods[0] == "store"}
	if len(in.Args) != 2 && len(in.Args) != 3 {
		d.Operands(in, 3)
		return bytecode.Performs(m)
	}
	count := wmmaRegisters(in, m.f, role, t)
	regs, addr, one := in.Args[0], in.Args[1], d.Dst
	if m.store {
		regs, addr, one = addr, regs, d.Src
	}
	m.regs = d.VectorOf(in, regs, count, one, matrixRegister(t))
	m.at = d.AddressIn(in, addr, bytecode.SpaceOf(in))
	across := m.f.Cols
	if m.byColumns {
		across = m.f.Rows
	}
	m.stride = d.Constant(uint64(across))
	if len(in.Args) == 3 {
		m.stride = d.Src(in.Args[2], "u32")
	}
	return bytecode.Performs(m)
}

func (m *matrixAccess) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	r := matrix.PerRegister(m.f.Bits)
	if m.f.Bits < 8 {
		return m.words(b, w, pc, e)
	}
	return each(e, func(lane int) *Failure {
		stride := uint64(uint32(w.regs[m.stride][lane]))
		for n, reg := range slices.All(m.regs) {
			value := uint64(0)
			for j := range r {
				index := int(m.f.At[lane][(n*r+j)%len(m.f.At[lane])])
				row, col := uint64(index/m.f.Cols), uint64(index%m.f.Cols)
				if m.byColumns {
					row, col = col, row
				}
				p, fault := b.bytes(&m.at, w, pc, lane, (row*stride+col)*m.size, m.size, kindOf(m.store))
				if fault != nil {
					return fault
				}
				if m.store {
					storeElement(p, m.size, w.regs[reg][lane]>>(j*m.f.Bits))
				} else {
					value |= loadElement(p, m.size) << (j * m.f.Bits)
				}
			}
			if !m.store {
				w.regs[reg][lane] = value
			}
		}
		return nil
	})
}

// words loads elements of less than a byte: those of a register are neighbours in memory.
func (m *matrixAccess) words(b *block, w *warp, pc int32, e uint32) *Failure {
	r := matrix.PerRegister(m.f.Bits)
	return each(e, func(lane int) *Failure {
		for n, reg := range m.regs {
			p, fault := b.bytes(&m.at, w, pc, lane, m.wordAt(w, lane, n*r), 4, reads)
			if fault != nil {
				return fault
			}
			w.regs[reg][lane] = uint64(*(*uint32)(p))
		}
		return nil
	})
}

// wordAt is how far behind the address a register lies that begins with an element of less than a byte.
func (m *matrixAccess) wordAt(w *warp, lane, element int) uint64 {
	stride, index := uint64(uint32(w.regs[m.stride][lane])), int(m.f.At[lane][element])
	along, across := uint64(index%m.f.Cols), uint64(index/m.f.Cols)
	if m.byColumns {
		along, across = across, along
	}
	return (across*stride + along) * uint64(m.f.Bits) / 8
}
