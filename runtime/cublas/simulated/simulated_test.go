package simulated_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

var cases = slices.Concat(level1, level2, level3)

// isSet returns the functions that the package has set, by the names of their methods.
func isSet() (names []string) {
	fields := reflect.ValueOf(cublas.Simulated)
	for i := range fields.NumField() {
		if name := strings.TrimPrefix(fields.Type().Field(i).Name, "Handle"); !fields.Field(i).IsNil() {
			names = append(names, name)
		}
	}
	return names
}

// variants returns the methods of the function name: with scalars of the host and of the device.
func variants(name string, all []string) (names []string) {
	for _, mode := range []string{"", "Device"} {
		if slices.Contains(all, name+mode) {
			names = append(names, name+mode)
		}
	}
	return names
}

// Every function computes what a plain loop computes, reads nothing else and writes nothing else.
func TestFunctions(t *testing.T) {
	all := isSet()
	for _, c := range cases {
		for _, name := range strings.Fields(c.real + " " + c.complex) {
			names := variants(name, all)
			require.NotEmpty(t, names, name)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := newHarness(t)
				g := &gen{Rand: rand.New(rand.NewPCG(1, 2)), complex: slices.Contains(strings.Fields(c.complex), name)}
				for range testenv.Cases(10, 60) {
					for _, method := range names {
						h.fill = g.coin()
						h.call(method, c.args(g))
					}
				}
			})
		}
	}
}

// What these tests take for right is what cuBLAS computes.
func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	t.Setenv("CUDAGEN_LIBCUBLAS", testenv.CUBLASPath(t))
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	all := isSet()
	for _, c := range cases {
		for _, name := range strings.Fields(c.real + " " + c.complex) {
			t.Run(name, func(t *testing.T) {
				h := harnessOn(t, dev)
				h.fill = true // memory that is undefined here is not there
				g := &gen{Rand: rand.New(rand.NewPCG(1, 2)), complex: slices.Contains(strings.Fields(c.complex), name)}
				for range testenv.Cases(10, 60) {
					for _, method := range variants(name, all) {
						h.call(method, c.args(g))
					}
				}
			})
		}
	}
	t.Run("invalid", func(t *testing.T) { invalid(t, harnessOn(t, dev)) })
	t.Run("no numbers", func(t *testing.T) { noNumbers(t, harnessOn(t, dev)) })
}

// No function that is set is forgotten by the tests.
func TestAllAreTested(t *testing.T) {
	all := isSet()
	require.Greater(t, len(all), 350)
	rest := slices.Clone(all)
	drop := func(names ...string) {
		rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(names, name) })
	}
	for _, c := range cases {
		for _, name := range strings.Fields(c.real + " " + c.complex) {
			drop(variants(name, all)...)
		}
	}
	for _, name := range exNames {
		drop(variants(name, all)...)
	}
	drop(settingNames...)
	assert.Empty(t, rest)
	assert.Equal(t, []string{"Sgemm", "SgemmDevice"}, variants("Sgemm", all))
}

// What the tests check fails when a function reads or writes something else, or computes something else.
func TestHarness(t *testing.T) {
	for name, spoil := range map[string]func(x *mem){
		"another result":     func(x *mem) { x.set(0, 77) },
		"writes more":        func(x *mem) { x.written[0], x.after[0] = true, x.before[0] },
		"reads what is none": func(x *mem) { x.read[0] = false },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "reads what is none" {
				h := newHarness(t, simtest.StopAtReport(), simtest.AllowFault())
				m := newMem(1)
				m.set(0, 4)
				spoil(m)
				method := reflect.ValueOf(h.h).MethodByName("Sscal")
				in, _ := h.arguments(method.Type(), []any{1, complex128(2), m, 1})
				method.Call(in)
				assert.ErrorContains(t, h.s.Synchronize(), "undefined")
				for _, clean := range h.cleanup {
					clean()
				}
				return
			}
			quiet := &quietT{TB: t}
			h := newHarness(t)
			h.t = quiet
			m := newMem(1)
			m.give(0, 2)
			m.set(0, 4)
			spoil(m)
			func() {
				defer func() { recover() }()
				h.call("Sscal", []any{1, complex128(2), m, 1})
			}()
			for _, clean := range h.cleanup {
				clean()
			}
			assert.Contains(t, quiet.said, "a wrong number")
		})
	}
}

// A quietT notes what a test says, and panics where it would end.
type quietT struct {
	testing.TB
	said string
}

func (t *quietT) Helper() {}

func (t *quietT) Errorf(format string, args ...any) { t.said += fmt.Sprintf(format, args...) }

func (t *quietT) FailNow() { panic("ends") }

func BenchmarkSgemm(b *testing.B) {
	for _, n := range []int{32, 256, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := newHarness(b)
			x, err := cuda.Upload(h.s, slices.Repeat([]float32{1.5}, n*n)) // gonum is quick with zeros
			require.NoError(b, err)
			defer x.Close()
			y, err := cuda.Alloc[float32](h.s, n*n)
			require.NoError(b, err)
			defer y.Close()
			size := int64(n)
			for b.Loop() {
				require.NoError(b, h.h.Sgemm(h.s, cublas.OpN, cublas.OpT, size, size, size, 1, x.All(), size, x.All(), size, 0, y.All(), size))
				require.NoError(b, h.s.Synchronize())
			}
		})
	}
}
