package interp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

const blackwellHeader = ".version 9.0\n.target sm_100\n.address_size 64\n"

// longKernel copies 32 bytes from one address to another, as words or as longs.
const longKernel = blackwellHeader + `.entry k(.param .u64 from, .param .u64 to) { .reg .b64 %l<9>; .reg .f32 %f<9>; .reg .pred %p;
ld.param.u64 %l1, [from]; ld.param.u64 %l2, [to];
ld.global.nc.L1::no_allocate.L2::evict_first.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%l1];
st.global.L2::evict_last.v8.f32 [%l2], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};
ld.global.v4.b64 {%l5, %l6, %l7, %l8}, [%l2]; st.global.v4.b64 [%l2+32], {%l8, _, %l6, %l5};
ret; }`

// A blackwellTest is an instruction and what computes the same on older devices.
type blackwellTest struct {
	text, plain string
	dst         ptx.Type
	srcs        []ptx.Type
}

// onHalves makes of an f32 instruction one of both halves of 64 bits.
func onHalves(name string, sources int) blackwellTest {
	c := blackwellTest{dst: "b64", text: name + "x2 $0", plain: "{ .reg .f32 %x<9>; .reg .f32 %y<9>;"}
	var low, high []string
	for n := range sources {
		c.text += fmt.Sprintf(", $%d", n+1)
		c.plain += fmt.Sprintf(" mov.b64 {%%x%d, %%y%d}, $%d;", n, n, n+1)
		low, high = append(low, fmt.Sprintf("%%x%d", n)), append(high, fmt.Sprintf("%%y%d", n))
		c.srcs = append(c.srcs, "b64")
	}
	c.text += ";"
	c.plain += fmt.Sprintf(" %s %%x8, %s; %s %%y8, %s; mov.b64 $0, {%%x8, %%y8}; }", name, strings.Join(low, ", "), name, strings.Join(high, ", "))
	return c
}

func blackwellTests() (tests []blackwellTest) {
	for _, mode := range []string{"", ".rn", ".rz", ".rm", ".rp"} {
		for _, ftz := range []string{"", ".ftz"} {
			tests = append(tests, onHalves("add"+mode+ftz+".f32", 2), onHalves("sub"+mode+ftz+".f32", 2), onHalves("mul"+mode+ftz+".f32", 2))
			if mode != "" {
				tests = append(tests, onHalves("fma"+mode+ftz+".f32", 3))
			}
		}
		for _, sat := range []string{"", ".sat"} {
			for _, t := range []ptx.Type{"f16", "bf16"} {
				widen := "cvt.f32." + string(t)
				for _, op := range []string{"add", "sub"} {
					name := op + mode + sat + ".f32"
					tests = append(tests, blackwellTest{name + "." + string(t) + " $0, $1, $2;", "{ .reg .f32 %x; " + widen + " %x, $1; " + name + " $0, %x, $2; }", "f32", []ptx.Type{"b16", "f32"}})
				}
				if mode != "" {
					name := "fma" + mode + sat + ".f32"
					tests = append(tests, blackwellTest{name + "." + string(t) + " $0, $1, $2, $3;", "{ .reg .f32 %x<3>; " + widen + " %x1, $1; " + widen + " %x2, $2; " + name + " $0, %x1, %x2, $3; }", "f32", []ptx.Type{"b16", "b16", "f32"}})
				}
			}
		}
	}
	for _, op := range []string{"min", "max"} {
		for _, ftz := range []string{"", ".ftz"} {
			for _, nan := range []string{"", ".NaN"} {
				name := op + ftz + nan
				three := []ptx.Type{"f32", "f32", "f32"}
				tests = append(tests,
					blackwellTest{name + ".f32 $0, $1, $2, $3;", "{ .reg .f32 %x; " + name + ".f32 %x, $1, $2; " + name + ".f32 $0, %x, $3; }", "f32", three},
					blackwellTest{name + ".abs.f32 $0, $1, $2, $3;", "{ .reg .b32 %x<4>; and.b32 %x1, $1, 0x7fffffff; and.b32 %x2, $2, 0x7fffffff; and.b32 %x3, $3, 0x7fffffff; " + name + ".f32 %x1, %x1, %x2; " + name + ".f32 $0, %x1, %x3; }", "b32", []ptx.Type{"b32", "b32", "b32"}})
			}
		}
	}
	for _, mode := range []string{"rn", "rz"} { // what is too large becomes the largest number, 0x7f7fe000
		tests = append(tests, blackwellTest{"cvt." + mode + ".satfinite.tf32.f32 $0, $1;", "{ .reg .b32 %x, %y, %s; .reg .pred %q; cvt." + mode + ".tf32.f32 %x, $1; and.b32 %y, %x, 0x7fffffff; and.b32 %s, %x, 0x80000000; or.b32 %s, %s, 0x7f7fe000; setp.eq.u32 %q, %y, 0x7f800000; selp.b32 $0, %s, %x, %q; }", "b32", []ptx.Type{"f32"}})
	}
	return tests
}

// blackwellRows are edge values of f16, bf16 and f32, also in both halves of 64 bits.
func blackwellRows(srcs []ptx.Type) (all [][]uint64) {
	floats := []uint64{0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x800000, 0x80800000, 0xffffff, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f000000, 0x3f800001, 0x33800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xff812345, 0x7f7fefff, 0x1fffffff, 0x20000400}
	halves := []uint64{0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0x7c00, 0xfc00, 0x7e01, 0x3f80, 0x7f80, 0x80, 0x7f, 0x3555}
	pick := func(t ptx.Type, n int) uint64 {
		switch t.Size() {
		case 2:
			return halves[n%len(halves)]
		case 8:
			return floats[n%len(floats)] | floats[(n*7+3)%len(floats)]<<32
		}
		return floats[n%len(floats)]
	}
	for n := range 23 * 23 {
		var row []uint64
		for s, t := range srcs {
			row = append(row, pick(t, []int{n, n / 23, n*5 + n/23}[s]))
		}
		all = append(all, row)
	}
	return all
}

// TestBlackwell compares instructions of sm_100 with those that compute the same on older devices.
func TestBlackwell(t *testing.T) {
	for _, c := range blackwellTests() {
		name, _, _ := strings.Cut(c.text, " ")
		t.Run(fmt.Sprintf("%s/%d", name, len(c.srcs)), func(t *testing.T) {
			all := blackwellRows(c.srcs)
			want, got := compute(t, c.plain, c.dst, c.srcs, all), computeAs(t, blackwellHeader, c.text, c.dst, c.srcs, all)
			for n := range all {
				require.Equal(t, want[n]&typeMask(c.dst), got[n]&typeMask(c.dst), "%#x", all[n])
			}
		})
	}
	t.Run("control", func(t *testing.T) { // the rounding shows
		c := onHalves("add.rm.f32", 2)
		all := blackwellRows(c.srcs)
		assert.NotEqual(t, compute(t, strings.ReplaceAll(c.plain, "add.rm", "add.rp"), c.dst, c.srcs, all), computeAs(t, blackwellHeader, c.text, c.dst, c.srcs, all))
	})
}

// TestLongAccesses: 32 bytes move together, and lie at a multiple of 32.
func TestLongAccesses(t *testing.T) {
	m := newMachine(t, longKernel)
	require.Empty(t, m.lib.Kernels["k"].Unsupported)
	from, to := m.upload([]uint64{1, 2, 3, 4, 5, 6, 7, 8}), m.upload(make([]uint64, 8))
	_, fault := m.launch("k", config(1, 1, 0), from+32, to)
	require.Nil(t, fault)
	got := make([]uint64, 8)
	m.download(to, got)
	assert.Equal(t, []uint64{5, 6, 7, 8, 8, 0, 6, 5}, got)
	_, fault = m.launch("k", config(1, 1, 0), from+16, to)
	require.NotNil(t, fault)
	assert.Equal(t, driver.ErrorMisalignedAddress, fault.Result)
	_, fault = m.launch("k", config(1, 1, 0), from, to+16)
	require.NotNil(t, fault)
	assert.Equal(t, driver.ErrorMisalignedAddress, fault.Result)
	_, fault = m.launch("k", config(1, 1, 0), from+64, to)
	require.NotNil(t, fault)
	assert.Equal(t, driver.ErrorIllegalAddress, fault.Result)
}

// TestBlackwellUndefined: an undefined half does not make the other one undefined, nor a word its neighbours.
func TestBlackwellUndefined(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"the other half", "mov.b64 %rd5, 0; ld.global.u32 %r5, [%rd2]; mov.b64 %rd6, {%r1, %r5}; add.f32x2 %rd5, %rd5, %rd6; mov.b64 {%r6, %r7}, %rd5;" + use("%r6"), ""},
		{"that half", "mov.b64 %rd5, 0; ld.global.u32 %r5, [%rd2]; mov.b64 %rd6, {%r1, %r5}; add.f32x2 %rd5, %rd5, %rd6; mov.b64 {%r6, %r7}, %rd5;" + use("%r7"), "branches"},
		{"another word", "setp.eq.u32 %p1, %r30, 0; @%p1 st.global.u32 [%rd1+4], 1; @!%p1 bra E; ld.global.v8.b32 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, [%rd1];" + use("%r6") + "E:", ""},
		{"that word", "setp.eq.u32 %p1, %r30, 0; @%p1 st.global.u32 [%rd1+4], 1; @!%p1 bra E; ld.global.v8.b32 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, [%rd1];" + use("%r5") + "E:", "branches"},
		{"a word that was stored", "mov.b64 %rd5, 0; st.global.v4.b64 [%rd3], {%rd5, %rd6, %rd5, %rd5}; ld.global.u32 %r5, [%rd3+12];" + use("%r5"), "branches"},
		{"a word that was left out", "mov.b64 %rd5, 0; st.global.v4.b64 [%rd1], {%rd5, _, %rd5, %rd5}; ld.global.u32 %r5, [%rd1+12];" + use("%r5"), "branches"},
		{"its neighbour", "mov.b64 %rd5, 0; st.global.v4.b64 [%rd3], {%rd5, %rd6, %rd5, %rd5}; ld.global.u32 %r5, [%rd3+16];" + use("%r5"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := followedAs(t, blackwellHeader, test.body)
			if test.want == "" {
				assert.Empty(t, found)
			} else if assert.NotEmpty(t, found) {
				assert.Contains(t, found[0].Reason, test.want)
			}
		})
	}
}

// TestBlackwellAssembles: ptxas takes the kernels.
func TestBlackwellAssembles(t *testing.T) {
	ptxas := filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas")
	text := longKernel
	for n, c := range blackwellTests() {
		text += strings.Replace(computeKernel(c.text, c.dst, c.srcs), ".entry k(", ".entry k"+strconv.Itoa(n)+"(", 1)
	}
	path := filepath.Join(t.TempDir(), "blackwell.ptx")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	out, err := exec.Command(ptxas, "-arch=sm_100", "-O0", "-o", os.DevNull, path).CombinedOutput()
	require.NoError(t, err, "%.1000s", out)
}
