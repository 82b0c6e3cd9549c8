package sim

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Data Movement and Conversion Instructions: ld, ld.global.nc, st.
//
// Cache operators and prefetch hints change no result. Volatile, relaxed, acquire
// and release accesses to global memory are atomic.
func memoryForms() []form {
	const types = memoryTypes
	const evict = "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
	const prefetch = "L2::64B|L2::128B|L2::256B?"
	const scope = "cta|cluster|gpu|sys"
	const loadable = "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster?"
	const storable = "global|local|shared|shared::cta|shared::cluster?"
	const common = "global|shared|shared::cta|shared::cluster?" // to threads
	const vector = ".v2|v4?." + types
	const hints = ".L2::cache_hint?." + prefetch + vector
	return []form{
		{"ld.weak?." + loadable + ".ca|cg|cs|lu|cv?" + vector, assembleLd},
		{"ld.weak?.global?.ca|cg|cs|lu|cv?" + hints, assembleLd},
		{"ld.weak?.global?." + evict + hints, assembleLd},
		{"ld.volatile." + common + vector, assembleLd},
		{"ld.volatile.global?." + prefetch + vector, assembleLd},
		{"ld.relaxed|acquire." + scope + "." + common + vector, assembleLd},
		{"ld.relaxed|acquire." + scope + ".global?." + evict + "?" + hints, assembleLd},
		{"ld.mmio.relaxed.sys.global?." + types, assembleLd},
		{"ld.global.ca|cg|cs?.nc" + hints, assembleLd},
		{"ld.global.nc." + evict + hints, assembleLd},
		{"st.weak?." + storable + ".wb|cg|cs|wt?" + vector, assembleSt},
		{"st.weak?.global?.wb|cg|cs|wt?.L2::cache_hint" + vector, assembleSt},
		{"st.weak?.global?." + evict + ".L2::cache_hint?" + vector, assembleSt},
		{"ldu.global?" + vector, assembleLd},
		{"st.param|param::func" + vector, assembleSt},
		{"st.volatile." + common + vector, assembleSt},
		{"st.relaxed|release." + scope + "." + common + vector, assembleSt},
		{"st.relaxed|release." + scope + ".global?." + evict + "?.L2::cache_hint?" + vector, assembleSt},
		{"st.mmio.relaxed.sys.global?." + types, assembleSt},
	}
}

// memoryTypes are those of elements in memory.
const memoryTypes = "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"

// spaceOf returns the state space that in names.
func spaceOf(in *ptx.Instr) space {
	for _, mod := range in.Mods {
		switch mod {
		case "global":
			return global
		case "const":
			return constant
		case "shared", "shared::cta", "shared::cluster":
			return shared
		case "local":
			return local
		case "param", "param::entry", "param::func":
			return param
		}
	}
	return generic
}

// access decodes what ld, st and atom have in common: [address] of elements of type t.
func (d *decoder) access(in *ptx.Instr, address ptx.Operand, t ptx.Type, elems int) instr {
	i := instr{space: spaceOf(in), size: t.Size(), elems: elems, mask: ^uint64(0)}
	a, ok := address.(ptx.Address)
	if !ok {
		d.invalid("%s: the address stands in square brackets", in.Text)
		return i
	}
	if i.size*elems > 16 {
		d.unsupported("an access of more than 16 bytes, %s,", in.Text)
	}
	i.offset = uint64(a.Offset)
	switch base := a.Base.(type) {
	case nil:
		i.a = d.constant(0)
	case ptx.Reg:
		i.a = d.base(&i, base)
	case ptx.Symbol:
		sym, known := d.variableOf(base.Name)
		if sym.callParam && i.space == param {
			i.space = local
		}
		if i.space == generic && (sym.space == shared || sym.space == local && in.Op != "atom" && in.Op != "red") {
			i.space = sym.space
		}
		switch {
		case !known:
			d.invalid("%s is not declared", base.Name)
		case sym.space != i.space && (i.space != generic || sym.space != global):
			d.invalid("%s is in the space .%s, not .%s", base.Name, sym.space, i.space)
		case sym.framed:
			i.a = d.fn.frame
			i.offset += sym.address
		default:
			i.a = d.address(sym, 0)
		}
	default:
		d.unsupported("the address of %s", in.Text)
	}
	return i
}

// base returns the register that an address begins with; it has 64 bits, or 32 in the
// spaces of a block or thread.
func (d *decoder) base(i *instr, reg ptx.Reg) int32 {
	r, ok := d.lookup(reg.Name)
	switch {
	case !ok:
		d.invalid("register %s is not declared", reg.Name)
	case isFloat(r.typ) || r.typ == "pred" || r.typ.Size() != 8 && (r.typ.Size() != 4 || i.space == generic || i.space == global || i.space == constant):
		d.invalid("register %s has type .%s, which is not an address in the space .%s", reg.Name, r.typ, i.space)
	}
	if r.typ.Size() == 4 {
		i.mask = 1<<32 - 1
	}
	d.read[r.index] = true
	return r.index
}

// elements returns the elements of a load's or store's data operand.
func (d *decoder) elements(in *ptx.Instr, op ptx.Operand) []ptx.Operand {
	want := 1
	if has(in, "v2") {
		want = 2
	} else if has(in, "v4") {
		want = 4
	}
	v, ok := op.(ptx.Vector)
	if !ok && want == 1 {
		return []ptx.Operand{op}
	}
	if !ok || len(v.Elems) != want {
		d.invalid("%s: the operand does not have %d elements", in.Text, want)
		return nil
	}
	d.alike(in, v.Elems)
	return v.Elems
}

// strong reports whether the access must be atomic.
func strong(in *ptx.Instr) bool {
	return has(in, "volatile") || has(in, "relaxed") || has(in, "acquire") || has(in, "release")
}

// unhinted is in without the operand of a cache hint, which changes no result.
func (d *decoder) unhinted(in *ptx.Instr) *ptx.Instr {
	last := len(in.Args) - 1
	if last < 0 || !has(in, "L2::cache_hint") {
		return in
	}
	if s := spaceOf(in); s == shared && (in.Op == "atom" || in.Op == "red") {
		d.invalid("%s: .L2::cache_hint is not for the space .%s", in.Text, s)
	}
	d.src(in.Args[last], "b64")
	plain := *in
	plain.Args = in.Args[:last]
	return &plain
}

func assembleLd(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	if !d.operands(in, 2) {
		return instr{op: opLoad}
	}
	t, elems := lastType(in), d.elements(in, in.Args[0])
	i := d.access(in, in.Args[1], t, len(elems))
	i.op, i.load, i.loadWhole = opLoad, loads[t], simd.WholeLoads[t]
	if strong(in) {
		i.load, i.loadWhole, i.strong = strongLoads[t], nil, true
		i.isVolatile = has(in, "volatile")
	}
	for n, elem := range elems {
		i.vec[n] = d.wideDst(elem, t)
	}
	if i.space == param && i.a >= constBase {
		i.op = opLoadParam
		i.offset += d.k.constants[i.a-constBase]
		if width := int64(i.size * i.elems); i.offset > 1<<32 || int64(i.offset)+width > d.k.paramBytes || int64(i.offset)%width != 0 {
			d.invalid("%s: %d bytes at offset %d are not in the parameters, or misaligned", in.Text, width, int64(i.offset))
		}
	}
	return i
}

func assembleSt(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	if !d.operands(in, 2) {
		return instr{op: opStore}
	}
	t, elems := lastType(in), d.elements(in, in.Args[1])
	i := d.access(in, in.Args[0], t, len(elems))
	i.op, i.store, i.storeWhole = opStore, stores[t.Size()], simd.WholeStores[t.Size()]
	if i.space == param {
		d.unsupported("instruction %s, which is not of an argument of a call,", in.Name())
	}
	if strong(in) {
		i.store, i.storeWhole, i.strong = strongStores[t.Size()], nil, true
		i.isVolatile = has(in, "volatile")
	}
	for n, elem := range elems {
		i.vec[n] = d.wideSrc(elem, t)
	}
	return i
}

var loads = map[ptx.Type]func(d *simd.Lanes, at *accessed, e uint32, elem int){
	"b8": ld[uint8], "u8": ld[uint8], "s8": ld[int8],
	"b16": ld[uint16], "u16": ld[uint16], "s16": ld[int16],
	"b32": ld[uint32], "u32": ld[uint32], "s32": ld[int32], "f32": ld[uint32],
	"b64": ld[uint64], "u64": ld[uint64], "s64": ld[uint64], "f64": ld[uint64],
}

var strongLoads = map[ptx.Type]func(d *simd.Lanes, at *accessed, e uint32, elem int){
	"b8": ldNarrow[uint8], "u8": ldNarrow[uint8], "s8": ldNarrow[int8],
	"b16": ldNarrow[uint16], "u16": ldNarrow[uint16], "s16": ldNarrow[int16],
	"b32": ldAtomic32[uint32], "u32": ldAtomic32[uint32], "s32": ldAtomic32[int32], "f32": ldAtomic32[uint32],
	"b64": ldAtomic64, "u64": ldAtomic64, "s64": ldAtomic64, "f64": ldAtomic64,
}

// stores and strongStores are indexed by the size in bytes.
var stores = map[int]func(s *simd.Lanes, at *accessed, e uint32, elem int){
	1: st[uint8], 2: st[uint16], 4: st[uint32], 8: st[uint64],
}

var strongStores = map[int]func(s *simd.Lanes, at *accessed, e uint32, elem int){
	1: stNarrow[uint8], 2: stNarrow[uint16], 4: stAtomic32, 8: stAtomic64,
}

// ld loads element elem of each lane, extended as T.
func ld[T simd.Integer](d *simd.Lanes, at *accessed, e uint32, elem int) {
	var t T
	offset := uint64(elem) * uint64(unsafe.Sizeof(t))
	if e == full {
		for l := range d {
			d[l] = uint64(*(*T)(unsafe.Add(at.base, at.offset[l]+offset)))
		}
		return
	}
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		d[l] = uint64(*(*T)(unsafe.Add(at.base, at.offset[l]+offset)))
	}
}

// st stores element elem of each lane. Where lanes store to one address, the highest wins.
func st[T simd.Integer](s *simd.Lanes, at *accessed, e uint32, elem int) {
	var t T
	offset := uint64(elem) * uint64(unsafe.Sizeof(t))
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		*(*T)(unsafe.Add(at.base, at.offset[l]+offset)) = T(s[l])
	}
}

func ldAtomic32[T uint32 | int32](d *simd.Lanes, at *accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		d[l] = uint64(T(atomic.LoadUint32((*uint32)(unsafe.Add(at.base, at.offset[l]+4*uint64(elem))))))
	}
}

func ldAtomic64(d *simd.Lanes, at *accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		d[l] = atomic.LoadUint64((*uint64)(unsafe.Add(at.base, at.offset[l]+8*uint64(elem))))
	}
}

func stAtomic32(s *simd.Lanes, at *accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		atomic.StoreUint32((*uint32)(unsafe.Add(at.base, at.offset[l]+4*uint64(elem))), uint32(s[l]))
	}
}

func stAtomic64(s *simd.Lanes, at *accessed, e uint32, elem int) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		atomic.StoreUint64((*uint64)(unsafe.Add(at.base, at.offset[l]+8*uint64(elem))), s[l])
	}
}

// word returns the aligned 32-bit word around p and how far p's value is shifted in it.
// Memory is made of 64-bit words, so the word is always there.
func word(p unsafe.Pointer) (w *uint32, shift uint) {
	odd := uintptr(p) & 3
	return (*uint32)(unsafe.Add(p, -int(odd))), uint(odd) * 8
}

func ldNarrow[T uint8 | int8 | uint16 | int16](d *simd.Lanes, at *accessed, e uint32, elem int) {
	var t T
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		w, shift := word(unsafe.Add(at.base, at.offset[l]+uint64(elem)*uint64(unsafe.Sizeof(t))))
		d[l] = uint64(T(atomic.LoadUint32(w) >> shift))
	}
}

func stNarrow[T uint8 | uint16](s *simd.Lanes, at *accessed, e uint32, elem int) {
	var t T
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		w, shift := word(unsafe.Add(at.base, at.offset[l]+uint64(elem)*uint64(unsafe.Sizeof(t))))
		for {
			old := atomic.LoadUint32(w)
			if atomic.CompareAndSwapUint32(w, old, old&^(uint32(^T(0))<<shift)|uint32(T(s[l]))<<shift) {
				break
			}
		}
	}
}

// load executes ld.
func (b *block) load(w *warp, in *instr, pc int32, e uint32) *failure {
	if in.loadWhole != nil && b.wholly(w, in, e) && b.loadAll(w, in) {
		return nil
	}
	if b.observer != nil && e == full && in.loadWhole != nil && b.observer.load(w, in, pc) {
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
		for n := range in.elems {
			in.load(&w.regs[in.vec[n]], &w.at, set, n)
		}
		rest &^= set
	}
	return nil
}

// loadParam executes ld.param of a named parameter, which is the same for all lanes.
func (b *block) loadParam(w *warp, in *instr, e uint32) {
	lane := bits.TrailingZeros32(e) & (warpSize - 1)
	w.at.base = unsafe.Pointer(unsafe.SliceData(b.params))
	w.at.offset[lane] = in.offset
	for n := range in.elems {
		in.load(&w.result, &w.at, 1<<lane, n)
		value := w.result[lane]
		d := &w.regs[in.vec[n]]
		if e == full {
			simd.Fast.Fill(d, value)
			continue
		}
		w.setAll(in.vec[n], e, value)
	}
}

// storeLanes executes st.
func (b *block) storeLanes(w *warp, in *instr, pc int32, e uint32) *failure {
	if in.storeWhole != nil && b.wholly(w, in, e) && b.storeAll(w, in) {
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
		for n := range in.elems {
			in.store(&w.regs[in.vec[n]], &w.at, set, n)
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

// accessed holds the addresses that the lanes of a warp access: offsets from a common base.
type accessed struct {
	base   unsafe.Pointer
	offset simd.Lanes
}

// resolve finds the memory that the lowest lane of e accesses, and in w.at what it and
// all the lanes of e that access the same memory do. It returns those lanes.
func (b *block) resolve(w *warp, in *instr, pc int32, e uint32, write bool) (set uint32, fault *failure) {
	addrs, offset := &w.regs[in.a], &w.at.offset
	width := uint64(in.size * in.elems)
	lowest := bits.TrailingZeros32(e) & (warpSize - 1)
	r, fault := b.region(w, in, pc, lowest, addrs[lowest]&in.mask+in.offset, width, write)
	if fault != nil {
		return 0, fault
	}
	w.at.base = r.base
	last, misaligned := r.size-width, width-1
	if e == full {
		wrong := uint64(0)
		for l := range offset {
			o := addrs[l]&in.mask + in.offset - r.from
			offset[l] = o + uint64(l)*r.stride
			wrong |= uint64(simd.Bit(o > last)) | o&misaligned
		}
		if wrong == 0 {
			return full, nil
		}
	}
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (warpSize - 1)
		if o := addrs[l]&in.mask + in.offset - r.from; o <= last && o&misaligned == 0 {
			offset[l] = o + uint64(l)*r.stride
			set |= 1 << l
		}
	}
	return set, nil
}

// region returns the memory in which addr lies, or what is wrong with width bytes there.
func (b *block) region(w *warp, in *instr, pc int32, lane int, addr, width uint64, write bool) (region, *failure) {
	if addr&(width-1) != 0 {
		return region{}, b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "%s address %#x is not aligned to %d bytes", in.space, addr, width)
	}
	r, what := b.locate(w, in.space, addr, write)
	if what == "" && (addr < r.from || r.size < width || addr-r.from > r.size-width) {
		what = "is out of bounds"
	}
	if what == "" {
		return r, nil
	}
	return region{}, b.outside(w, pc, lane, in.space, addr, width, r, what)
}

// outside is the fault of an access to width bytes at addr, which are not in r or not allowed.
func (b *block) outside(w *warp, pc int32, lane int, s space, addr, width uint64, r region, what string) *failure {
	if r.base == nil && r.size == 0 {
		return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "%s address %#x %s", s, addr, what).tellProvenance()
	}
	return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "%s address %#x %s: %d bytes at offset %d of %d", s, addr, what, width, int64(addr-r.from), r.size).tellProvenance()
}

// localSize is how many bytes of local memory a lane of w may access.
func (b *block) localSize(w *warp) uint64 {
	if b.k.stack {
		return w.localBytes
	}
	return uint64(b.k.localBytes)
}

// locate returns the memory that addr names, or what is wrong with it.
func (b *block) locate(w *warp, s space, addr uint64, write bool) (r region, what string) {
	window := uint64(0)
	if s == generic {
		window = addr &^ memory.OffsetMask
		switch addr >> memory.OffsetBits {
		case memory.SharedWindow:
			s = shared
		case memory.LocalWindow:
			s = local
		case memory.ParamWindow:
			s = param
		}
	}
	switch s {
	case shared:
		if addr&peerMask == 0 {
			return region{unsafe.Pointer(unsafe.SliceData(b.shared)), window, b.sharedBytes, 0}, ""
		}
		peer, ok := b.peer(addr)
		if !ok {
			return region{}, "is in no block of the cluster"
		}
		return region{unsafe.Pointer(unsafe.SliceData(peer.shared)), window | addr&peerMask, b.sharedBytes, 0}, ""
	case local:
		return region{unsafe.Pointer(unsafe.SliceData(w.local)), window, b.localSize(w), w.localBytes}, ""
	case param:
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
	case !a.Constant && s == constant:
		what = "is not in a .const variable"
	}
	return r, what
}
