package interp

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Data Movement and Conversion Instructions: ld, ld.global.nc, st.
//
// Cache operators and prefetch hints change no result. Volatile, relaxed, acquire
// and release accesses to global memory are atomic.
func MemoryForms() []bytecode.Form {
	const types = memoryTypes
	const evict = "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
	const prefetch = "L2::64B|L2::128B|L2::256B?"
	const scope = "cta|cluster|gpu|sys"
	const loadable = "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster?"
	const storable = "global|local|shared|shared::cta|shared::cluster?"
	const common = "global|shared|shared::cta|shared::cluster?" // to threads
	const vector = ".v2|v4?." + types
	const hints = ".L2::cache_hint?." + prefetch + vector
	return []bytecode.Form{
		{Pattern: "ld.weak?." + loadable + ".ca|cg|cs|lu|cv?" + vector, Assemble: assembleLd},
		{Pattern: "ld.weak?.global?.ca|cg|cs|lu|cv?" + hints, Assemble: assembleLd},
		{Pattern: "ld.weak?.global?." + evict + hints, Assemble: assembleLd},
		{Pattern: "ld.volatile." + common + vector, Assemble: assembleLd},
		{Pattern: "ld.volatile.global?." + prefetch + vector, Assemble: assembleLd},
		{Pattern: "ld.relaxed|acquire." + scope + "." + common + vector, Assemble: assembleLd},
		{Pattern: "ld.relaxed|acquire." + scope + ".global?." + evict + "?" + hints, Assemble: assembleLd},
		{Pattern: "ld.mmio.relaxed.sys.global?." + types, Assemble: assembleLd},
		{Pattern: "ld.global.ca|cg|cs?.nc" + hints, Assemble: assembleLd},
		{Pattern: "ld.global.nc." + evict + hints, Assemble: assembleLd},
		{Pattern: "st.weak?." + storable + ".wb|cg|cs|wt?" + vector, Assemble: assembleSt},
		{Pattern: "st.weak?.global?.wb|cg|cs|wt?.L2::cache_hint" + vector, Assemble: assembleSt},
		{Pattern: "st.weak?.global?." + evict + ".L2::cache_hint?" + vector, Assemble: assembleSt},
		{Pattern: "ldu.global?" + vector, Assemble: assembleLd},
		{Pattern: "st.param|param::func" + vector, Assemble: assembleSt},
		{Pattern: "st.volatile." + common + vector, Assemble: assembleSt},
		{Pattern: "st.relaxed|release." + scope + "." + common + vector, Assemble: assembleSt},
		{Pattern: "st.relaxed|release." + scope + ".global?." + evict + "?.L2::cache_hint?" + vector, Assemble: assembleSt},
		{Pattern: "st.mmio.relaxed.sys.global?." + types, Assemble: assembleSt},
	}
}

// memoryTypes are those of elements in memory.
const memoryTypes = "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"

// strong reports whether the access must be atomic.
func strong(in *ptx.Instr) bool {
	return bytecode.Has(in, "volatile") || bytecode.Has(in, "relaxed") || bytecode.Has(in, "acquire") || bytecode.Has(in, "release")
}

func assembleLd(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	if !d.Operands(in, 2) {
		return bytecode.Instr{Op: bytecode.OpLoad}
	}
	t, elems := bytecode.LastType(in), d.Elements(in, in.Args[0])
	i := d.Access(in, in.Args[1], t, len(elems))
	i.Op, i.Load, i.LoadWhole = bytecode.OpLoad, loads[t], simd.WholeLoads[t]
	if strong(in) {
		i.Load, i.LoadWhole, i.Strong = strongLoads[t], nil, true
		i.IsVolatile = bytecode.Has(in, "volatile")
	}
	for n, elem := range elems {
		i.Vec[n] = d.WideDst(elem, t)
	}
	if i.Space == bytecode.Param && i.A >= bytecode.ConstBase {
		i.Op = bytecode.OpLoadParam
		i.Offset += d.K.Constants[i.A-bytecode.ConstBase]
		if width := int64(i.Size * i.Elems); i.Offset > 1<<32 || int64(i.Offset)+width > d.K.ParamBytes || int64(i.Offset)%width != 0 {
			d.Invalid("%s: %d bytes at offset %d are not in the parameters, or misaligned", in.Text, width, int64(i.Offset))
		}
	}
	return i
}

func assembleSt(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	if !d.Operands(in, 2) {
		return bytecode.Instr{Op: bytecode.OpStore}
	}
	t, elems := bytecode.LastType(in), d.Elements(in, in.Args[1])
	i := d.Access(in, in.Args[0], t, len(elems))
	i.Op, i.Store, i.StoreWhole = bytecode.OpStore, stores[t.Size()], simd.WholeStores[t.Size()]
	if i.Space == bytecode.Param {
		d.Unsupported("instruction %s, which is not of an argument of a call,", in.Name())
	}
	if strong(in) {
		i.Store, i.StoreWhole, i.Strong = strongStores[t.Size()], nil, true
		i.IsVolatile = bytecode.Has(in, "volatile")
	}
	for n, elem := range elems {
		i.Vec[n] = d.WideSrc(elem, t)
	}
	return i
}

var loads = map[ptx.Type]func(d *simd.Lanes, at *bytecode.Accessed, e uint32, elem int){
	"b8": ld[uint8], "u8": ld[uint8], "s8": ld[int8],
	"b16": ld[uint16], "u16": ld[uint16], "s16": ld[int16],
	"b32": ld[uint32], "u32": ld[uint32], "s32": ld[int32], "f32": ld[uint32],
	"b64": ld[uint64], "u64": ld[uint64], "s64": ld[uint64], "f64": ld[uint64],
}

var strongLoads = map[ptx.Type]func(d *simd.Lanes, at *bytecode.Accessed, e uint32, elem int){
	"b8": ldNarrow[uint8], "u8": ldNarrow[uint8], "s8": ldNarrow[int8],
	"b16": ldNarrow[uint16], "u16": ldNarrow[uint16], "s16": ldNarrow[int16],
	"b32": ldAtomic32[uint32], "u32": ldAtomic32[uint32], "s32": ldAtomic32[int32], "f32": ldAtomic32[uint32],
	"b64": ldAtomic64, "u64": ldAtomic64, "s64": ldAtomic64, "f64": ldAtomic64,
}

// stores and strongStores are indexed by the size in bytes.
var stores = map[int]func(s *simd.Lanes, at *bytecode.Accessed, e uint32, elem int){
	1: st[uint8], 2: st[uint16], 4: st[uint32], 8: st[uint64],
}

var strongStores = map[int]func(s *simd.Lanes, at *bytecode.Accessed, e uint32, elem int){
	1: stNarrow[uint8], 2: stNarrow[uint16], 4: stAtomic32, 8: stAtomic64,
}

// ld loads element elem of each lane, extended as T.
func ld[T simd.Integer](d *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	var t T
	offset := uint64(elem) * uint64(unsafe.Sizeof(t))
	if e == bytecode.Full {
		for l := range d {
			d[l] = uint64(*(*T)(unsafe.Add(at.Base, at.Offset[l]+offset)))
		}
		return
	}
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		d[l] = uint64(*(*T)(unsafe.Add(at.Base, at.Offset[l]+offset)))
	}
}

// st stores element elem of each lane. Where lanes store to one address, the highest wins.
func st[T simd.Integer](s *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	var t T
	offset := uint64(elem) * uint64(unsafe.Sizeof(t))
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		*(*T)(unsafe.Add(at.Base, at.Offset[l]+offset)) = T(s[l])
	}
}

func ldAtomic32[T uint32 | int32](d *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		d[l] = uint64(T(atomic.LoadUint32((*uint32)(unsafe.Add(at.Base, at.Offset[l]+4*uint64(elem))))))
	}
}

func ldAtomic64(d *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		d[l] = atomic.LoadUint64((*uint64)(unsafe.Add(at.Base, at.Offset[l]+8*uint64(elem))))
	}
}

func stAtomic32(s *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		atomic.StoreUint32((*uint32)(unsafe.Add(at.Base, at.Offset[l]+4*uint64(elem))), uint32(s[l]))
	}
}

func stAtomic64(s *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		atomic.StoreUint64((*uint64)(unsafe.Add(at.Base, at.Offset[l]+8*uint64(elem))), s[l])
	}
}

// word returns the aligned 32-bit word around p and how far p's value is shifted in it.
// Memory is made of 64-bit words, so the word is always there.
func word(p unsafe.Pointer) (w *uint32, shift uint) {
	odd := uintptr(p) & 3
	return (*uint32)(unsafe.Add(p, -int(odd))), uint(odd) * 8
}

func ldNarrow[T uint8 | int8 | uint16 | int16](d *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	var t T
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		w, shift := word(unsafe.Add(at.Base, at.Offset[l]+uint64(elem)*uint64(unsafe.Sizeof(t))))
		d[l] = uint64(T(atomic.LoadUint32(w) >> shift))
	}
}

func stNarrow[T uint8 | uint16](s *simd.Lanes, at *bytecode.Accessed, e uint32, elem int) {
	var t T
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		w, shift := word(unsafe.Add(at.Base, at.Offset[l]+uint64(elem)*uint64(unsafe.Sizeof(t))))
		for {
			old := atomic.LoadUint32(w)
			if atomic.CompareAndSwapUint32(w, old, old&^(uint32(^T(0))<<shift)|uint32(T(s[l]))<<shift) {
				break
			}
		}
	}
}

// load executes ld.
func (b *block) load(w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure {
	if in.LoadWhole != nil && b.wholly(w, in, e) && b.loadAll(w, in) {
		return nil
	}
	if b.observer != nil && e == bytecode.Full && in.LoadWhole != nil && b.observer.load(w, in, pc) {
		return nil
	}
	for rest := e; rest != 0; {
		set, fault := b.resolve(w, in, pc, rest, false)
		if fault != nil {
			return fault
		}
		if b.observer != nil {
			b.observer.access(w, in, pc, set, reads)
		}
		for n := range in.Elems {
			in.Load(&w.regs[in.Vec[n]], &w.at, set, n)
		}
		rest &^= set
	}
	return nil
}

// loadParam executes ld.param of a named parameter, which is the same for all lanes.
func (b *block) loadParam(w *warp, in *bytecode.Instr, e uint32) {
	lane := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
	w.at.Base = unsafe.Pointer(unsafe.SliceData(b.params))
	w.at.Offset[lane] = in.Offset
	for n := range in.Elems {
		in.Load(&w.result, &w.at, 1<<lane, n)
		value := w.result[lane]
		d := &w.regs[in.Vec[n]]
		if e == bytecode.Full {
			simd.Fast.Fill(d, value)
			continue
		}
		w.setAll(in.Vec[n], e, value)
	}
}

// storeLanes executes st.
func (b *block) storeLanes(w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure {
	if in.StoreWhole != nil && b.wholly(w, in, e) && b.storeAll(w, in) {
		return nil
	}
	for rest := e; rest != 0; {
		set, fault := b.resolve(w, in, pc, rest, true)
		if fault != nil {
			return fault
		}
		if b.observer != nil {
			b.observer.access(w, in, pc, set, writes)
		}
		for n := range in.Elems {
			in.Store(&w.regs[in.Vec[n]], &w.at, set, n)
		}
		rest &^= set
	}
	return nil
}

// A region is memory of this process and the device addresses that reach it.
type region struct {
	base   unsafe.Pointer
	from   uint64 // first address
	size   uint64 // bytes
	stride uint64 // between what two neighbouring lanes reach by one address
}

// resolve finds the memory that the lowest lane of e accesses, and in w.at what it and
// all the lanes of e that access the same memory do. It returns those lanes.
func (b *block) resolve(w *warp, in *bytecode.Instr, pc int32, e uint32, write bool) (set uint32, fault *Failure) {
	addrs, offset := &w.regs[in.A], &w.at.Offset
	width := uint64(in.Size * in.Elems)
	lowest := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
	r, fault := b.region(w, in, pc, lowest, addrs[lowest]&in.Mask+in.Offset, width, write)
	if fault != nil {
		return 0, fault
	}
	w.at.Base = r.base
	last, misaligned := r.size-width, width-1
	if e == bytecode.Full {
		wrong := uint64(0)
		for l := range offset {
			o := addrs[l]&in.Mask + in.Offset - r.from
			offset[l] = o + uint64(l)*r.stride
			wrong |= uint64(simd.Bit(o > last)) | o&misaligned
		}
		if wrong == 0 {
			return bytecode.Full, nil
		}
	}
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		if o := addrs[l]&in.Mask + in.Offset - r.from; o <= last && o&misaligned == 0 {
			offset[l] = o + uint64(l)*r.stride
			set |= 1 << l
		}
	}
	return set, nil
}

// region returns the memory in which addr lies, or what is wrong with width bytes there.
func (b *block) region(w *warp, in *bytecode.Instr, pc int32, lane int, addr, width uint64, write bool) (region, *Failure) {
	if addr&(width-1) != 0 {
		return region{}, b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "%s address %#x is not aligned to %d bytes", in.Space, addr, width)
	}
	r, what := b.locate(w, in.Space, addr, write)
	if what == "" && (addr < r.from || r.size < width || addr-r.from > r.size-width) {
		what = "is out of bounds"
	}
	if what == "" {
		return r, nil
	}
	return region{}, b.outside(w, pc, lane, in.Space, addr, width, r, what)
}

// outside is the fault of an access to width bytes at addr, which are not in r or not allowed.
func (b *block) outside(w *warp, pc int32, lane int, s bytecode.Space, addr, width uint64, r region, what string) *Failure {
	if r.base == nil && r.size == 0 {
		return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "%s address %#x %s", s, addr, what).tellProvenance()
	}
	return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "%s address %#x %s: %d bytes at offset %d of %d", s, addr, what, width, int64(addr-r.from), r.size).tellProvenance()
}

// localSize is how many bytes of local memory a lane of w may access.
func (b *block) localSize(w *warp) uint64 {
	if b.k.Stack {
		return w.localBytes
	}
	return uint64(b.k.LocalBytes)
}

// locate returns the memory that addr names, or what is wrong with it.
func (b *block) locate(w *warp, s bytecode.Space, addr uint64, write bool) (r region, what string) {
	window := uint64(0)
	if s == bytecode.Generic {
		window = addr &^ memory.OffsetMask
		switch addr >> memory.OffsetBits {
		case memory.SharedWindow:
			s = bytecode.Shared
		case memory.LocalWindow:
			s = bytecode.Local
		case memory.ParamWindow:
			s = bytecode.Param
		}
	}
	switch s {
	case bytecode.Shared:
		if addr&peerMask == 0 {
			return region{unsafe.Pointer(unsafe.SliceData(b.shared)), window, b.sharedBytes, 0}, ""
		}
		peer, ok := b.peer(addr)
		if !ok {
			return region{}, "is in no block of the cluster"
		}
		return region{unsafe.Pointer(unsafe.SliceData(peer.shared)), window | addr&peerMask, b.sharedBytes, 0}, ""
	case bytecode.Local:
		return region{unsafe.Pointer(unsafe.SliceData(w.local)), window, b.localSize(w), w.localBytes}, ""
	case bytecode.Param:
		if write {
			return region{}, "is a kernel parameter, which is read-only"
		}
		return region{unsafe.Pointer(unsafe.SliceData(b.params)), window, uint64(len(b.params)), 0}, ""
	}
	a := memory.AllocationOf(addr >> memory.OffsetBits)
	switch {
	case a == nil:
		return region{}, "is in no allocation"
	case a.Owner == b.mem || b.mem.MayAccess(a):
	case a.Data == nil || addr&memory.OffsetMask >= a.Size:
		return region{}, "is in no allocation of this device"
	default:
		return region{}, "is in memory of another device: this one has no peer access to it"
	}
	r = region{unsafe.Pointer(unsafe.SliceData(a.Data)), addr &^ memory.OffsetMask, a.Size, 0}
	switch {
	case a.Data == nil:
		what = "is in an allocation that was freed"
	case a.Constant && write:
		what = "is in a .const variable, which is read-only" // ld.global reads it, as on GPUs: __ldg of a __constant__ variable
	case !a.Constant && s == bytecode.Constant:
		what = "is not in a .const variable"
	}
	return r, what
}

// Kinds of accesses.
type accessKind uint8

const (
	reads accessKind = iota
	writes
	updates // an atomic, which is strong
)

// kindOf returns what an operation does that loads or stores.
func kindOf(store bool) accessKind {
	if store {
		return writes
	}
	return reads
}
