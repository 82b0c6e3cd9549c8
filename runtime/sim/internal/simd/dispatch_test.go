package simd

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// corners is values at which instructions have special cases, as f32, f64, and integers.
var corners = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 1<<63 - 1, 1 << 63, ^uint64(0),
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fc00000, 0xffc12345, 0x7fffffff, 0x00800000, 0x80800000,
	0x007fffff, 0x00000003, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b7fffff, 0x34000000,
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfff0000000000005,
	0x7ff8000000000000, 0xfff8000000000123, 0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff, 0x3ff0000000000001,
	0x4000000000000000, 0xc000000000000000, UndefinedWord,
}

// randomLanes fills a register with corners and random values.
func randomLanes(r *rand.Rand) *Lanes {
	d := new(Lanes)
	for l := range d {
		switch r.IntN(4) {
		case 0:
			d[l] = r.Uint64()
		case 1:
			d[l] = r.Uint64()<<32 | corners[r.IntN(len(corners))]&0xffffffff
		default:
			d[l] = corners[r.IntN(len(corners))]
		}
	}
	return d
}

// wide is the functions whose results have 64 bits.
var wide = []string{"Add", "Sub", "Mul64", "And", "Or", "Xor", "Mov", "Shl", "ShrU64", "Fill", "Choose"}

func isWide(name string) bool {
	return slices.Contains(wide, name) || strings.Contains(name, "Wide") || strings.Contains(name, "Extend") || strings.HasSuffix(name, "F64") ||
		strings.HasPrefix(name, "Near") || strings.HasPrefix(name, "Scattered")
}

// TestDispatch compares this processor's functions with the portable ones.
func TestDispatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	slow, quick := reflect.ValueOf(&Portable).Elem(), reflect.ValueOf(&Fast).Elem()
	compared := 0
	for n := range slow.NumField() {
		name := slow.Type().Field(n).Name
		want := reflect.NewAt(slow.Field(n).Type(), unsafe.Pointer(slow.Field(n).UnsafeAddr())).Elem().Interface()
		got := reflect.NewAt(quick.Field(n).Type(), unsafe.Pointer(quick.Field(n).UnsafeAddr())).Elem().Interface()
		compared++
		for range 2000 {
			switch want := want.(type) {
			case Func:
				compareLanes(t, r, name, want, got.(Func))
			case Comparison:
				a, b := randomLanes(r), randomLanes(r)
				require.Equal(t, want(a, b), got.(Comparison)(a, b), "%s %x %x", name, a, b)
			case func(d, a, b *Lanes, p uint32):
				a, b, p := randomLanes(r), randomLanes(r), r.Uint32()
				var x, y Lanes
				want(&x, a, b, p)
				got.(func(d, a, b *Lanes, p uint32))(&y, a, b, p)
				require.Equal(t, x, y, name)
			case func(d, s *Lanes, e uint32):
				from, e := randomLanes(r), r.Uint32()
				x := *randomLanes(r)
				y := x
				want(&x, from, e)
				got.(func(d, s *Lanes, e uint32))(&y, from, e)
				require.Equal(t, x, y, name)
			case func(d *Lanes, value uint64):
				var x, y Lanes
				v := r.Uint64()
				want(&x, v)
				got.(func(d *Lanes, value uint64))(&y, v)
				require.Equal(t, x, y, name)
			case func(offsets, addrs *Lanes, r *Reach) Pattern:
				compareOffsets(t, r, want, got.(func(offsets, addrs *Lanes, r *Reach) Pattern))
			case func(d *HalfLanes, p unsafe.Pointer):
				var x, y HalfLanes
				from := randomLanes(r)
				want(&x, unsafe.Pointer(from))
				got.(func(d *HalfLanes, p unsafe.Pointer))(&y, unsafe.Pointer(from))
				require.Equal(t, x, y, name)
			case func(d *HalfLanes, value uint64):
				var x, y HalfLanes
				v := r.Uint64()
				want(&x, v)
				got.(func(d *HalfLanes, value uint64))(&y, v)
				require.Equal(t, x, y, name)
			case func(offsets *Lanes) (lowest, highest uint64):
				from := randomLanes(r)
				for l := range from {
					from[l] &= 1<<63 - 1
				}
				least, most := want(from)
				lowest, highest := got.(func(offsets *Lanes) (lowest, highest uint64))(from)
				require.Equal(t, []uint64{least, most}, []uint64{lowest, highest})
			case func(d *Lanes, p unsafe.Pointer):
				var x, y Lanes
				from := randomLanes(r)
				want(&x, unsafe.Pointer(from))
				got.(func(d *Lanes, p unsafe.Pointer))(&y, unsafe.Pointer(from))
				require.Equal(t, x, y, name)
			case func(p unsafe.Pointer, s *Lanes):
				var x, y Lanes
				from := randomLanes(r)
				want(unsafe.Pointer(&x), from)
				got.(func(p unsafe.Pointer, s *Lanes))(unsafe.Pointer(&y), from)
				require.Equal(t, x, y, name)
			case func(d *Lanes, base unsafe.Pointer, by uint64, offsets *Lanes):
				var x, y, offsets Lanes
				from := randomLanes(r)
				by := 4 * uint64(r.IntN(128)-64)
				for l := range offsets {
					offsets[l] = 4*uint64(r.IntN(64)) - by
				}
				want(&x, unsafe.Pointer(from), by, &offsets)
				got.(func(d *Lanes, base unsafe.Pointer, by uint64, offsets *Lanes))(&y, unsafe.Pointer(from), by, &offsets)
				require.Equal(t, x, y, name)
			default:
				require.Fail(t, "a function that nothing compares", name)
			}
		}
	}
	assert.Equal(t, slow.NumField(), compared)
}

// compareLanes also has the destination be one of the sources.
func compareLanes(t *testing.T, r *rand.Rand, name string, want, got Func) {
	mask := uint64(1<<32 - 1)
	if isWide(name) {
		mask = full64
	}
	a, b, c := randomLanes(r), randomLanes(r), randomLanes(r)
	var x, y Lanes
	want(&x, a, b, c)
	sources := [3]Lanes{*a, *b, *c}
	d := []*Lanes{&y, a, b, c}[r.IntN(4)]
	got(d, a, b, c)
	for l := range x {
		if x[l]&mask != d[l]&mask {
			require.Failf(t, name, "%#x of %#x, %#x, %#x, want %#x", d[l]&mask, sources[0][l], sources[1][l], sources[2][l], x[l]&mask)
		}
	}
}

const full64 = ^uint64(0)

// compareOffsets has offsets of every pattern, and of faults.
func compareOffsets(t *testing.T, r *rand.Rand, want, got func(offsets, addrs *Lanes, r *Reach) Pattern) {
	width := uint64(1) << r.IntN(5)
	at := Reach{Mask: full64, Add: r.Uint64() &^ (width - 1), Last: 1 << 12, Width: width}
	if r.IntN(2) == 0 {
		at.Mask, at.Add = 1<<32-1, at.Add&(1<<10-1)
	}
	var addrs, x, y Lanes
	kind, start := r.IntN(5), width*uint64(r.IntN(64))
	for l := range addrs {
		switch kind {
		case 0:
			addrs[l] = start
		case 1:
			addrs[l] = start + width*uint64(l)
		case 2:
			addrs[l] = width * uint64(r.IntN(100))
		default:
			addrs[l] = start + width*uint64(l)
		}
		if at.Mask == full64 {
			addrs[l] -= at.Add
		} else {
			addrs[l] |= r.Uint64() << 32
		}
	}
	if kind >= 3 {
		addrs[r.IntN(warpSize)] += []uint64{1, width, 1 << 12, 1 << 63, 1 << 31}[r.IntN(5)]
	}
	p := want(&x, &addrs, &at)
	require.Equal(t, p, got(&y, &addrs, &at), "%x %+v", addrs, at)
	if p != Faulty {
		require.Equal(t, x, y)
	}
	at.FirstOnly = true
	require.Equal(t, p, got(&y, &addrs, &at), "%x %+v", addrs, at)
	if p == Anywhere {
		require.Equal(t, x, y)
	} else if p != Faulty {
		require.Equal(t, x[0], y[0])
	}
}
