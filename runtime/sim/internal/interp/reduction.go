package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// asyncReductions are the updates of asynchronous asyncReductions, which are those of red.
//
// PTX ISA, Data Movement and Conversion Instructions: cp.reduce.async.bulk,
// cp.reduce.async.bulk.tensor; Parallel Synchronization and Communication Instructions: red.async.
var asyncReductions = map[string]bytecode.Update{
	"add.u32": atomicAdd, "add.s32": atomicAdd, "add.u64": atomicAdd, "add.s64": atomicAdd,
	"add.f32": atomicAddFlushed, "add.f64": atomicAddF64, "add.f16": atomicAddHalf(softfloat.F16), "add.bf16": atomicAddHalf(softfloat.BF16),
	"min.u32": atomicMin[uint32], "min.s32": atomicMin[int32], "min.u64": atomicMin[uint64], "min.s64": atomicMin[int64],
	"max.u32": atomicMax[uint32], "max.s32": atomicMax[int32], "max.u64": atomicMax[uint64], "max.s64": atomicMax[int64],
	"min.f16": atomicHalf(softfloat.F16.Min), "min.bf16": atomicHalf(softfloat.BF16.Min),
	"max.f16": atomicHalf(softfloat.F16.Max), "max.bf16": atomicHalf(softfloat.BF16.Max),
	"inc.u32": atomicInc, "dec.u32": atomicDec,
	"and.b32": atomicAnd, "and.b64": atomicAnd, "or.b32": atomicOr, "or.b64": atomicOr, "xor.b32": atomicXor, "xor.b64": atomicXor,
}

func atomicXor(old, b, _ uint64) uint64 { return old ^ b }

// tensorTypes names the types of elements that have asyncReductions.
var tensorTypes = map[driver.TensorType]string{
	driver.TensorUint32: "u32", driver.TensorInt32: "s32", driver.TensorUint64: "u64", driver.TensorInt64: "s64",
	driver.TensorFloat16: "f16", driver.TensorBFloat16: "bf16", driver.TensorFloat32: "f32",
}

// reductionOf returns the reduction op of elements of type t, or nil.
func reductionOf(op string, t driver.TensorType) bytecode.Update {
	name := tensorTypes[t]
	switch {
	case name == "":
		return nil
	case op != "and" && op != "or" && op != "xor":
		return asyncReductions[op+"."+name]
	case name[0] == 'u' || name[0] == 's':
		return asyncReductions[op+".b"+name[1:]]
	}
	return nil
}

// reduce updates the elements of size bytes at p by those of src, each atomically.
func reduce(p unsafe.Pointer, src []byte, size int, update bytecode.Update) {
	for at := 0; at < len(src); at += size {
		switch to, value := unsafe.Add(p, at), loadElement(unsafe.Pointer(&src[at]), uint64(size)); size {
		case 2:
			update16(to, update, value, 0)
		case 4:
			update32((*uint32)(to), update, value, 0)
		default:
			update64((*uint64)(to), update, value, 0)
		}
	}
}

// reductionIn returns the update that in names and the bytes of an element.
func reductionIn(in *ptx.Instr) (bytecode.Update, int) {
	op, t := modifierAmong(in, "add", "min", "max", "inc", "dec", "and", "or", "xor"), bytecode.LastType(in)
	size := t.Size()
	if bytecode.Formats[t] != nil {
		size = 2
	}
	return asyncReductions[op+"."+string(t)], size
}

// asyncStoreForms: PTX ISA, Data Movement and Conversion Instructions: st.async; Parallel
// Synchronization and Communication Instructions: red.async.
func asyncStoreForms() []bytecode.Form {
	const done = "mbarrier::complete_tx::bytes"
	const store = "st.async.weak?.shared::cluster|shared::cta?." + done
	const red = "red.async.relaxed.cluster.shared::cluster|shared::cta?." + done
	return []bytecode.Form{
		{Pattern: store + ".v2?.b32|u32|s32|f32|b64|u64|s64|f64", Assemble: assembleAsyncStore},
		{Pattern: store + ".v4.b32|u32|s32|f32", Assemble: assembleAsyncStore},
		{Pattern: red + ".add|min|max.u32|s32", Assemble: assembleAsyncStore},
		{Pattern: red + ".add.u64|s64", Assemble: assembleAsyncStore},
		{Pattern: red + ".inc|dec.u32", Assemble: assembleAsyncStore},
		{Pattern: red + ".and|or|xor.b32", Assemble: assembleAsyncStore},
	}
}

// An asyncStore is st.async or red.async [dst], value, [mbarrier].
type asyncStore struct {
	dst    bytecode.Address
	values []int32
	size   uint64          // of a value
	update bytecode.Update // of red, else nil
	done   *arrival
}

func (s *asyncStore) Registers() []*int32 {
	return append(append(bytecode.PointersTo(s.values), &s.dst.In.A), s.done.Registers()...)
}

func assembleAsyncStore(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	s := &asyncStore{size: uint64(t.Size())}
	if in.Op == "red" {
		s.update, _ = reductionIn(in)
	}
	if args := arrives(d, in, 3, &s.done); len(args) == 3 {
		d.K.Clusters = true
		s.dst, s.done.barrier = d.AddressIn(in, args[0], bytecode.Shared), d.AddressIn(in, args[2], bytecode.Shared)
		s.done.barrier.Ordered = true
		s.values = d.RegistersOf(in, args[1], vectorLength(d, in), d.Src, t)
	}
	return bytecode.Performs(s)
}

func (s *asyncStore) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	width, kind := s.size*uint64(len(s.values)), writes
	if s.update != nil {
		kind = updates
	}
	return each(e, func(lane int) *Failure {
		return s.done.each(b, w, pc, lane, width, func(int) *Failure {
			p, fault := b.bytes(&s.dst, w, pc, lane, 0, width, kind)
			if fault != nil {
				return fault
			}
			for n, r := range s.values {
				at, value := unsafe.Add(p, n*int(s.size)), w.regs[r][lane]
				if s.update != nil {
					value = s.update(loadElement(at, s.size), value, 0)
				}
				storeElement(at, s.size, value)
			}
			return nil
		})
	})
}
