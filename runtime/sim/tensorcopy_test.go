package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A tensorTest is a tensor and a box of it.
type tensorTest struct {
	name    string
	typ     driver.TensorType
	dims    []int
	strides []int // bytes, of the second dimension and those after it
	box     []int
	step    []int // or nil
	at      []int
	swizzle int
	short   bool // the memory to which it is stored ends with the last row
}

var tensorTests = []tensorTest{
	{"1d", driver.TensorUint8, []int{300}, nil, []int{64}, nil, []int{16}, 0, false},
	{"2d", driver.TensorFloat32, []int{40, 30}, []int{160}, []int{32, 8}, nil, []int{4, 5}, 0, false},
	{"2d outside at the end", driver.TensorFloat32, []int{40, 30}, []int{176}, []int{32, 8}, nil, []int{20, 25}, 0, false},
	{"2d outside in front", driver.TensorFloat16, []int{40, 30}, []int{96}, []int{24, 8}, nil, []int{-8, -3}, 0, false},
	{"2d all outside", driver.TensorInt32, []int{40, 30}, []int{160}, []int{8, 8}, nil, []int{40, -8}, 0, false},
	{"3d", driver.TensorUint16, []int{24, 9, 7}, []int{48, 480}, []int{16, 4, 3}, nil, []int{16, 7, -1}, 0, false},
	{"4d of 64 bits", driver.TensorUint64, []int{6, 5, 4, 3}, []int{48, 256, 1024}, []int{4, 2, 3, 2}, nil, []int{4, 1, 2, 2}, 0, false},
	{"5d", driver.TensorBFloat16, []int{16, 3, 3, 3, 3}, []int{32, 96, 288, 864}, []int{8, 2, 2, 2, 2}, nil, []int{8, 1, 1, 2, 1}, 0, false},
	{"swizzle of 32 bytes", driver.TensorUint16, []int{64, 64}, []int{128}, []int{16, 32}, nil, []int{16, 9}, 1, false},
	{"swizzle of 64 bytes", driver.TensorFloat32, []int{64, 64}, []int{256}, []int{16, 32}, nil, []int{52, 40}, 2, false},
	{"swizzle of 128 bytes", driver.TensorFloat16, []int{96, 64}, []int{192}, []int{64, 40}, nil, []int{40, 30}, 3, false},
	{"swizzle of 128 bytes, outside in a chunk", driver.TensorUint8, []int{150, 64}, []int{160}, []int{128, 16}, nil, []int{32, 3}, 3, false},
	{"outside in a chunk, at the end of the memory", driver.TensorUint8, []int{150, 64}, []int{160}, []int{128, 16}, nil, []int{32, 50}, 0, true},
	{"steps", driver.TensorFloat32, []int{16, 40, 9}, []int{64, 64 * 40}, []int{8, 16, 5}, []int{1, 3, 2}, []int{4, 30, 2}, 0, false},
}

func (c tensorTest) desc() driver.TensorMapDesc {
	d := driver.TensorMapDesc{Type: c.typ, Rank: len(c.dims), Swizzle: uint32(c.swizzle)}
	for n := range c.dims {
		d.Dims[n], d.Box[n], d.ElementStrides[n] = uint64(c.dims[n]), uint32(c.box[n]), uint32(c.stepOf(n))
		if n > 0 {
			d.Strides[n-1] = uint64(c.strides[n-1])
		}
	}
	return d
}

func (c tensorTest) stepOf(n int) int {
	if c.step == nil {
		return 1
	}
	return c.step[n]
}

func (c tensorTest) size() int { return int(tensormap.ElementBytes(c.typ)) }

// tensorBytes is how many bytes the tensor has.
func (c tensorTest) tensorBytes() int {
	n := c.dims[0] * c.size()
	for i, stride := range c.strides {
		n = max(n, c.dims[i+1]*stride)
	}
	return n
}

// elements calls do for each element of the box: its offset in shared memory, and that in the tensor, or -1.
//
// PTX ISA, Tensors: an element of the box is at the box's coordinates and its own, the first dimension is
// the innermost of both sides, and a swizzle exchanges the chunks of 16 bytes within 128 bytes by the number
// of these 128 bytes.
func (c tensorTest) elements(do func(shared, tensor int)) {
	count, total := make([]int, len(c.box)), 1
	for n := range c.box {
		count[n] = int(math.Ceil(float64(c.box[n]) / float64(c.stepOf(n))))
		total *= count[n]
	}
	for i := range total {
		tensor, inside := 0, true
		for n, rest := 0, i; n < len(count); n++ {
			at := c.at[n] + rest%count[n]*c.stepOf(n)
			rest /= count[n]
			inside = inside && at >= 0 && at < c.dims[n]
			if n == 0 {
				tensor += at * c.size()
			} else {
				tensor += at * c.strides[n-1]
			}
		}
		offset := i * c.size()
		line, chunk := offset/128, offset%128/16
		chunk ^= line % 8 & []int{0, 1, 3, 7}[c.swizzle]
		if !inside {
			tensor = -1
		}
		do(line*128+chunk*16+offset%16, tensor)
	}
}

// rowsEnd is where the last row of a tensor of two dimensions ends.
func (c tensorTest) rowsEnd() int { return (c.dims[1]-1)*c.strides[0] + c.dims[0]*c.size() }

// stored calls do for each element that a store of the box writes: an H200 writes what lies behind a row, too, up
// to a multiple of 16 bytes.
func (c tensorTest) stored(do func(shared, tensor int)) {
	c.dims = slices.Clone(c.dims)
	c.dims[0] = (c.dims[0]*c.size() + 15) / 16 * 16 / c.size()
	c.elements(func(at, to int) {
		if to >= 0 {
			do(at, to)
		}
	})
}

func (c tensorTest) boxBytes() (n int) {
	c.elements(func(int, int) { n += c.size() })
	return n
}

// coordinates is the operand.
func (c tensorTest) coordinates() string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.at)), ", "), "[]")
}

func bytePattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7+i>>8) ^ seed
	}
	return b
}

// Parts of kernels: fill has all threads set BYTES of shared memory to 0xab, take from in, or put to out.
const (
	hopperFill = `mov.u32 %r5, %r1; F: setp.ge.u32 %p2, %r5, BYTES; @%p2 bra FE; add.u32 %r6, %r2, %r5; mov.b16 %h1, 0xab; st.shared.b8 [%r6], %h1; add.u32 %r5, %r5, %r4; bra F; FE:
fence.proxy.async.shared::cta; bar.sync 0;
`
	hopperTake = `mov.u32 %r5, %r1; T: setp.ge.u32 %p2, %r5, BYTES; @%p2 bra TE; add.u32 %r6, %r2, %r5; cvt.u64.u32 %l5, %r5; add.s64 %l5, %l1, %l5; ld.global.b8 %h1, [%l5]; st.shared.b8 [%r6], %h1; add.u32 %r5, %r5, %r4; bra T; TE:
fence.proxy.async.shared::cta; bar.sync 0;
`
	hopperPut = `mov.u32 %r5, %r1; P: setp.ge.u32 %p2, %r5, BYTES; @%p2 bra PE; add.u32 %r6, %r2, %r5; ld.shared.b8 %h1, [%r6]; cvt.u64.u32 %l5, %r5; add.s64 %l5, %l2, %l5; st.global.b8 [%l5], %h1; add.u32 %r5, %r5, %r4; bra P; PE:
`
	hopperBarrier = `@%p1 mbarrier.init.shared::cta.b64 [%r3], 1; @%p1 fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta; bar.sync 0;
`
	hopperWait = `W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
`
)

// tensorCases loads boxes, stores and reduces.
func tensorCases() (cases []hopperCase) {
	with := func(body string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(body) }
	for _, c := range tensorTests {
		bytes := c.boxBytes()
		shared := (bytes + 127) / 128 * 128
		tensor, box := bytePattern(c.tensorBytes(), 0), bytePattern(shared, 0x5a)
		load := hopperCase{name: "tensor/load/" + c.name, tensor: c.desc(), in: tensor, out: make([]byte, shared), threads: 64, want: bytePattern(0, 0)}
		load.ptx = hopperEntry("", shared, with(hopperFill+hopperBarrier+`@!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], COUNT;
cp.async.bulk.tensor.RANKd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%l3, {AT}], [%r3];
WAIT:
`+hopperWait+hopperPut, "BYTES", itoa(shared), "COUNT", itoa(bytes), "RANK", itoa(len(c.dims)), "AT", c.coordinates()))
		for range shared {
			load.want = append(load.want, 0xab)
		}
		store := hopperCase{name: "tensor/store/" + c.name, tensor: c.desc(), stores: true, in: box, out: tensor, threads: 64, want: append([]byte(nil), tensor...)}
		store.ptx = hopperEntry("", shared, with(hopperTake+`@!%p1 bra END;
cp.async.bulk.tensor.RANKd.global.shared::cta.bulk_group [%l3, {AT}], [%r2];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END:`, "BYTES", itoa(shared), "RANK", itoa(len(c.dims)), "AT", c.coordinates()))
		c.elements(func(at, tensorAt int) {
			for n := range c.size() {
				if load.want[at+n] = 0; tensorAt >= 0 {
					load.want[at+n] = tensor[tensorAt+n]
				}
			}
		})
		c.stored(func(at, tensorAt int) { copy(store.want[tensorAt:tensorAt+c.size()], box[at:]) })
		if c.short {
			store.out, store.want = store.out[:c.rowsEnd()], store.want[:c.rowsEnd()]
		}
		if cases = append(cases, load); !slices.ContainsFunc(c.at, func(n int) bool { return n < 0 }) {
			cases = append(cases, store)
		}
	}
	return append(append(append(cases, reduceCases()...), multicastCases()...), replaceCase())
}

// reduceCases reduce boxes of small numbers.
func reduceCases() (cases []hopperCase) {
	for _, r := range []struct {
		op   string
		typ  driver.TensorType
		name string
		fn   func(old, v float64) float64
	}{
		{"add", driver.TensorUint32, "u32", func(x, y float64) float64 { return x + y }},
		{"add", driver.TensorFloat32, "f32", func(x, y float64) float64 { return x + y }},
		{"add", driver.TensorFloat16, "f16", func(x, y float64) float64 { return x + y }},
		{"add", driver.TensorBFloat16, "bf16", func(x, y float64) float64 { return x + y }},
		{"min", driver.TensorInt32, "s32", math.Min}, {"max", driver.TensorInt64, "s64", math.Max}, {"max", driver.TensorFloat16, "f16", math.Max},
		{"inc", driver.TensorUint32, "u32", func(x, y float64) float64 { return map[bool]float64{true: 0, false: x + 1}[x >= y] }},
		{"and", driver.TensorUint32, "u32", func(x, y float64) float64 { return float64(int(x) & int(y)) }},
		{"xor", driver.TensorUint64, "u64", func(x, y float64) float64 { return float64(int(x) ^ int(y)) }},
	} {
		c := tensorTest{typ: r.typ, dims: []int{20, 10}, strides: []int{20 * 8}, box: []int{16, 4}, at: []int{8, 8}, swizzle: 0}
		size := c.size()
		put := func(b []byte, at int, v float64) {
			word := encode(r.name, int(v))
			if r.name == "s64" || r.name == "u64" {
				word = uint64(int64(v))
			}
			interp.WriteWord(b[at:at+size], word)
		}
		small := func(n int) float64 {
			if v := n*5%11 - 4; r.name[0] == 's' || r.name == "f16" {
				return float64(v)
			}
			return float64(n * 5 % 11)
		}
		h := hopperCase{name: "tensor/reduce/" + r.op + "." + r.name, tensor: c.desc(), stores: true, in: make([]byte, c.boxBytes()), out: make([]byte, c.tensorBytes()), threads: 32}
		for n := range len(h.in) / size {
			put(h.in, n*size, small(n))
		}
		for n := range len(h.out) / size {
			put(h.out, n*size, small(n+3))
		}
		h.want = append([]byte(nil), h.out...)
		c.stored(func(at, to int) { put(h.want, to, r.fn(small(to/size+3), small(at/size))) })
		h.ptx = hopperEntry("", len(h.in), strings.NewReplacer("BYTES", itoa(len(h.in)), "OP", r.op, "AT", c.coordinates()).Replace(hopperTake+`@!%p1 bra END;
cp.reduce.async.bulk.tensor.2d.global.shared::cta.OP.tile.bulk_group [%l3, {AT}], [%r2];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END:`))
		cases = append(cases, h)
	}
	return cases
}

// multicastCases load for both blocks of a cluster at once, and without a tensor.
func multicastCases() (cases []hopperCase) {
	c := tensorTest{typ: driver.TensorUint32, dims: []int{32, 16}, strides: []int{128}, box: []int{32, 4}, at: []int{0, 3}}
	const bytes = 512
	for name, instruction := range map[string]string{
		"tensor": "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%l3, {0, 3}], [%r3], %h2;",
		"bytes":  "add.s64 %l6, %l1, 384; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%l6], 512, [%r3], %h2;",
	} {
		h := hopperCase{name: "multicast/" + name, tensor: c.desc(), in: bytePattern(c.tensorBytes(), 0), out: make([]byte, 2*bytes), threads: 32, blocks: 2}
		h.want = append(append([]byte(nil), h.in[384:384+bytes]...), h.in[384:384+bytes]...)
		h.ptx = hopperEntry(".reqnctapercluster 2", bytes, strings.NewReplacer("BYTES", itoa(bytes)).Replace(hopperFill+hopperBarrier+`@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], BYTES;
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
mov.u32 %r7, %cluster_ctarank; setp.ne.u32 %p4, %r7, 0; or.pred %p4, %p4, !%p1; mov.b16 %h2, 3;
@%p4 bra WAIT;
`+instruction+`
WAIT:
`+hopperWait+`mul.lo.u32 %r8, %r7, BYTES; cvt.u64.u32 %l7, %r8; add.s64 %l2, %l2, %l7;
`+hopperPut+"barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"))
		cases = append(cases, h)
	}
	return cases
}

// replaceCase changes where a tensor is and how large, in shared memory, and loads by what it has become.
func replaceCase() hopperCase {
	c := tensorTest{typ: driver.TensorUint32, dims: []int{32, 16}, strides: []int{128}, box: []int{32, 8}, at: []int{0, 0}}
	h := hopperCase{name: "tensor/replace", tensor: c.desc(), in: bytePattern(8192, 0), out: make([]byte, 2048), threads: 32, want: make([]byte, 2048)}
	for row := range 5 { // of 5 rows of 20 elements, 256 bytes apart
		copy(h.want[row*128:row*128+80], h.in[1024+row*256:])
	}
	h.want = h.want[:1024]
	h.out = h.out[:1024]
	h.ptx = hopperEntry("", 2048, strings.NewReplacer("BYTES", "1024").Replace(hopperBarrier+`mul.lo.u32 %r7, %r1, 4; cvt.u64.u32 %l6, %r7; add.s64 %l6, %l6, %l3; ld.b32 %r8, [%l6]; add.u32 %r9, %r2, %r7; st.shared.b32 [%r9+1024], %r8;
add.u32 %r10, %r2, 1024; bar.sync 0; @!%p1 bra REPLACED;
add.s64 %l7, %l1, 1024; mov.u64 %l8, 256; mov.u32 %r11, 20; mov.u32 %r12, 5;
tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r10], %l7;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r10], 0, %r11;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r10], 1, %r12;
tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r10], 0, %l8;
REPLACED: bar.warp.sync -1; mov.b64 %l9, %l2;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%l9], [%r10], 128;
fence.proxy.tensormap::generic.acquire.gpu [%l9], 128;
@!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%l9, {0, 0}], [%r3];
WAIT:
`+hopperWait+hopperPut))
	return h
}

// TestTensorFaults: what a copy must not do is a fault, and what is open is refused.
func TestTensorFaults(t *testing.T) {
	d := newDevice(0)
	require.Equal(t, driver.Success, d.Init())
	base := tensorTests[1]
	run := func(change func(m *driver.TensorMap, desc *driver.TensorMapDesc), body string) string {
		m := newMachine(t, hopperEntry("", 1024, hopperBarrier+"@!%p1 bra END;\n"+body+"\nEND:"), driver.Checks{})
		desc := base.desc()
		desc.Address = driver.DevicePtr(m.upload(bytePattern(base.tensorBytes(), 0)))
		var encoded driver.TensorMap
		if change != nil {
			change(nil, &desc)
		}
		encoded, r := d.TensorMapEncodeTiled(desc)
		require.Equal(t, driver.Success, r)
		if change != nil {
			change(&encoded, nil)
		}
		fault := m.launch("k", config(1, 32, 0), encoded, uint64(0), uint64(0))
		if fault == nil {
			return ""
		}
		return fault.Reason
	}
	const load = "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%l3, {0, 0}], [%r3];"
	assert.Empty(t, run(nil, load))
	onMap := func(change func(m *driver.TensorMap)) func(*driver.TensorMap, *driver.TensorMapDesc) {
		return func(m *driver.TensorMap, _ *driver.TensorMapDesc) {
			if m != nil {
				change(m)
			}
		}
	}
	onDesc := func(change func(d *driver.TensorMapDesc)) func(*driver.TensorMap, *driver.TensorMapDesc) {
		return func(_ *driver.TensorMap, d *driver.TensorMapDesc) {
			if d != nil {
				change(d)
			}
		}
	}
	assert.Contains(t, run(onMap(func(m *driver.TensorMap) { m[1] += 16 }), load), "there is no tensor map at address")
	assert.Contains(t, run(nil, "add.s64 %l3, %l3, 16; "+load), "is not a multiple of 64")
	assert.Contains(t, run(nil, "add.u32 %r2, %r2, 16; "+load), "is not a multiple of 128")
	assert.Contains(t, run(nil, "add.u32 %r2, %r2, 1024; "+load), "is out of bounds")
	assert.Contains(t, run(nil, "add.u32 %r3, %r3, 64; "+load), "is out of bounds")
	assert.Contains(t, run(nil, "mbarrier.inval.shared.b64 [%r3]; "+load), "there is no initialised mbarrier")
	assert.Contains(t, run(nil, strings.ReplaceAll(strings.ReplaceAll(load, "2d", "3d"), "{0, 0}", "{0, 0, 0}")), "names 3 coordinates, and the tensor has 2 dimensions")
	// Where an H200 ends with an illegal instruction.
	const store = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%l3, {0, 0}], [%r2];"
	const sum = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r2], [%r2], 256, [%r3];"
	assert.Empty(t, run(onDesc(func(d *driver.TensorMapDesc) { d.Box[1] = 2 }), store))
	assert.Contains(t, run(nil, strings.ReplaceAll(load, "{0, 0}", "{1, 0}")), "the box begins at byte 4 of a row of the tensor, which is not a multiple of 16")
	assert.Contains(t, run(nil, strings.ReplaceAll(load, "{0, 0}", "{-6, 0}")), "the box begins at byte -24 of a row")
	assert.Empty(t, run(nil, strings.ReplaceAll(load, "{0, 0}", "{-8, -3}")))
	assert.Contains(t, run(nil, strings.ReplaceAll(store, "{0, 0}", "{0, -1}")), "coordinate 1 of the box is -1: a store may end behind the tensor, but not begin before it")
	assert.Contains(t, run(nil, sum), "a reduction in shared memory in a launch without clusters")
	assert.Contains(t, run(onDesc(func(d *driver.TensorMapDesc) { d.Dims[1], d.Box[1] = 1000, 8 }), strings.ReplaceAll(load, "{0, 0}", "{0, 500}")), "is out of bounds")
	assert.Contains(t, run(onDesc(func(d *driver.TensorMapDesc) { d.Type = driver.TensorTFloat32 }), load), "has more than 10 bits of mantissa")
	assert.Contains(t, run(nil, "mov.b16 %h1, 2; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%l3, {0, 0}], [%r3], %h1;"), "a multicast to block 1 of a cluster of 1")
	assert.Contains(t, run(onDesc(func(d *driver.TensorMapDesc) { d.Type = driver.TensorFloat32; d.Box[1] = 2 }), "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group [%l3, {0, 0}], [%r2];"), "there is no reduction .xor")
	for _, change := range []func(*driver.TensorMapDesc){
		func(d *driver.TensorMapDesc) { d.Interleave = 1 }, func(d *driver.TensorMapDesc) { d.Fill = 1 }, func(d *driver.TensorMapDesc) { d.Swizzle, d.Box[0] = 3, 8 },
	} {
		desc := base.desc()
		change(&desc)
		_, r := d.TensorMapEncodeTiled(desc)
		assert.Equal(t, driver.ErrorNotSupported, r)
	}
	desc := base.desc()
	desc.Rank = 6
	_, r := d.TensorMapEncodeTiled(desc)
	assert.Equal(t, driver.ErrorInvalidValue, r)
}

// TestTensorFormats: subnormal numbers are flushed on the way to shared memory where the type says so.
func TestTensorFormats(t *testing.T) {
	c := tensorTests[1]
	c.typ, c.at = driver.TensorTFloat32FTZ, []int{0, 0}
	in := make([]byte, c.tensorBytes())
	for n, v := range []uint32{1, 0x80000001, 0x007fffff, 0x3f802000, 0xff800000, 0x7fffe000} {
		binary.LittleEndian.PutUint32(in[4*n:], v)
	}
	all := tensorCases()
	h := all[2] // of 2d
	require.Equal(t, "tensor/load/2d", h.name)
	h.tensor, h.in, h.ptx = c.desc(), in, strings.ReplaceAll(h.ptx, "{4, 5}", "{0, 0}")
	got := h.run(t, newDevice(0))
	for n, want := range []uint32{0, 1 << 31, 0, 0x3f802000, 0xff800000, 0x7fffe000} {
		assert.Equal(t, want, binary.LittleEndian.Uint32(got[4*n:]))
	}
}
