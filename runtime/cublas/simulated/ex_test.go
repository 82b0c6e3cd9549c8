package simulated_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// exNames are the functions with types as arguments, which TestEx calls.
var exNames = []string{"AxpyEx", "ScalEx", "Nrm2Ex", "DotEx", "DotcEx", "GemmEx", "GemmBatchedEx", "GemmStridedBatchedEx", "SgemmEx", "CgemmEx", "Cgemm3mEx"}

// elementTypes are the types that are arguments.
var elementTypes = map[cublas.DataType]reflect.Type{
	cublas.R16F: reflect.TypeFor[vec.Float16](), cublas.R16BF: reflect.TypeFor[vec.BFloat16](), cublas.R32F: reflect.TypeFor[float32](),
	cublas.R64F: reflect.TypeFor[float64](), cublas.C32F: reflect.TypeFor[complex64](), cublas.C64F: reflect.TypeFor[complex128](),
	cublas.R8I: reflect.TypeFor[int8](), cublas.R32I: reflect.TypeFor[int32](),
}

// scalarBytes returns the bytes of v as a scalar.
func scalarBytes(v complex128, t cublas.DataType) []byte {
	switch t {
	case cublas.R16F:
		return cublas.Scalar(vec.NewFloat16(float32(real(v))))
	case cublas.R64F:
		return cublas.Scalar(real(v))
	case cublas.C32F:
		return cublas.Scalar(complex64(v))
	case cublas.C64F:
		return cublas.Scalar(v)
	case cublas.R32I:
		return cublas.Scalar(int32(real(v)))
	}
	return cublas.Scalar(float32(real(v)))
}

// An ex is a product with types as arguments.
type ex struct {
	in, out, scalar cublas.DataType
	compute         cublas.ComputeType
}

func (e ex) typed(t cublas.DataType, m *mem) *mem {
	m.bytes = elementTypes[t]
	return m
}

// args makes arguments of the function name.
func (e ex) args(g *gen, name string) []any {
	p, count := g.gemm(), 1
	if name == "GemmBatchedEx" || name == "GemmStridedBatchedEx" {
		count = g.IntN(3)
	}
	a, b, c := p.times(g, count)
	operand := func(t cublas.DataType, all []*mem, ld int) []any {
		switch name {
		case "GemmBatchedEx":
			return []any{e.typed(t, addressesOf(all)), t, ld}
		case "GemmStridedBatchedEx":
			stride := g.stride(all)
			return []any{e.typed(t, join(stride, all...)), t, ld, stride}
		}
		return []any{e.typed(t, all[0]), t, ld}
	}
	var alpha, beta any = p.alpha, p.beta
	var end []any
	switch name {
	case "GemmBatchedEx", "GemmStridedBatchedEx":
		end = []any{count}
		fallthrough
	case "GemmEx":
		alpha, beta = scalarBytes(p.alpha, e.scalar), scalarBytes(p.beta, e.scalar)
		end = append(end, e.compute, cublas.GemmDefault)
	}
	return args([]any{p.opA, p.opB, p.m, p.n, p.k, alpha}, operand(e.in, a, p.lda), operand(e.in, b, p.ldb), []any{beta}, operand(e.out, c, p.ldc), end)
}

// Products with types as arguments compute what a plain loop computes, and nothing is read or written besides.
func TestEx(t *testing.T) {
	all := isSet()
	for _, e := range []ex{
		{cublas.R16F, cublas.R16F, cublas.R16F, cublas.Compute16F},
		{cublas.R16F, cublas.R16F, cublas.R32F, cublas.Compute32F},
		{cublas.R16F, cublas.R32F, cublas.R32F, cublas.Compute32F},
		{cublas.R16BF, cublas.R16BF, cublas.R32F, cublas.Compute32F},
		{cublas.R16BF, cublas.R32F, cublas.R32F, cublas.Compute32F},
		{cublas.R32F, cublas.R32F, cublas.R32F, cublas.Compute32FFastTF32},
		{cublas.C32F, cublas.C32F, cublas.C32F, cublas.Compute32F},
		{cublas.R64F, cublas.R64F, cublas.R64F, cublas.Compute64F},
		{cublas.C64F, cublas.C64F, cublas.C64F, cublas.Compute64F},
		{cublas.R8I, cublas.R32F, cublas.R32F, cublas.Compute32F},
		{cublas.R8I, cublas.R32I, cublas.R32I, cublas.Compute32I},
	} {
		for _, name := range exNames[5:] {
			isComplex := e.in == cublas.C32F || e.in == cublas.C64F
			switch {
			case name == "SgemmEx" && (e.compute != cublas.Compute32F || isComplex), (name == "CgemmEx" || name == "Cgemm3mEx") && e.in != cublas.C32F:
				continue
			}
			t.Run(fmt.Sprintf("%s %v %v %v", name, e.in, e.out, e.compute), func(t *testing.T) {
				h := newHarness(t)
				g := &gen{Rand: rand.New(rand.NewPCG(3, 4)), complex: isComplex}
				names := variants(name, all)
				require.NotEmpty(t, names)
				for range testenv.Cases(6, 30) {
					for _, method := range names {
						h.fill = g.coin()
						h.call(method, e.args(g, name))
					}
				}
			})
		}
	}
}

// A typedResult is a result as bytes.
type typedResult struct {
	want complex128
	as   cublas.DataType
}

// Functions of level 1 with types as arguments compute what those without compute.
func TestLevel1Ex(t *testing.T) {
	all := isSet()
	for _, types := range []struct{ data, scalar, exec cublas.DataType }{
		{cublas.R16F, cublas.R32F, cublas.R32F}, {cublas.R16BF, cublas.R32F, cublas.R32F}, {cublas.R32F, cublas.R32F, cublas.R32F},
		{cublas.R64F, cublas.R64F, cublas.R64F}, {cublas.C32F, cublas.C32F, cublas.C32F}, {cublas.C64F, cublas.C64F, cublas.C64F},
	} {
		g := &gen{Rand: rand.New(rand.NewPCG(5, 6)), complex: types.data == cublas.C32F || types.data == cublas.C64F}
		vector := func(v any) []any { return []any{typedMem(v, types.data), types.data} }
		for name, args := range map[string]func() []any{
			"AxpyEx": func() []any {
				a := axpyArgs(g)
				return args(a[:1], []any{scalarBytes(a[1].(complex128), types.scalar), types.scalar}, vector(a[2]), a[3:4], vector(a[4]), a[5:], []any{types.exec})
			},
			"ScalEx": func() []any {
				a := g.scal(g.value())
				return args(a[:1], []any{scalarBytes(a[1].(complex128), types.scalar), types.scalar}, vector(a[2]), a[3:], []any{types.exec})
			},
			"Nrm2Ex": func() []any {
				a, real := nrm2Args(g), map[cublas.DataType]cublas.DataType{cublas.C32F: cublas.R32F, cublas.C64F: cublas.R64F}
				as, complex := real[types.scalar]
				if !complex {
					as = types.data
				}
				return args(a[:1], vector(a[1]), a[2:3], []any{typedResult{complex128(a[3].(want)), as}, as, types.exec})
			},
			"DotEx": func() []any {
				a := g.dot(func(v complex128) complex128 { return v })
				return args(a[:1], vector(a[1]), a[2:3], vector(a[3]), a[4:5], []any{typedResult{complex128(a[5].(want)), types.data}, types.data, types.exec})
			},
			"DotcEx": func() []any {
				a := g.dot(cmplx.Conj)
				return args(a[:1], vector(a[1]), a[2:3], vector(a[3]), a[4:5], []any{typedResult{complex128(a[5].(want)), types.data}, types.data, types.exec})
			},
		} {
			t.Run(fmt.Sprint(name, " ", types.data), func(t *testing.T) {
				h := newHarness(t)
				names := variants(name, all)
				require.Len(t, names, 2)
				for range testenv.Cases(6, 30) {
					for _, method := range names {
						h.fill = g.coin()
						h.call(method, args())
					}
				}
			})
		}
	}
}

func typedMem(v any, t cublas.DataType) *mem {
	m := v.(vector).mem
	m.bytes = elementTypes[t]
	return m
}

// Halves are summed up as float32: 2048 + 1 is not a half, and 2048 + 1 + 1 is.
func TestHalvesAreSummedUpAsFloat32(t *testing.T) {
	h := newHarness(t)
	ones, c := newMem(4), newMem(1)
	for i, v := range []complex128{2048, 1, 1, 0} {
		ones.give(i, v)
	}
	other := newMem(4)
	for i := range 4 {
		other.give(i, 1)
	}
	c.set(0, 2050)
	h.call("Hgemm", []any{cublas.OpN, cublas.OpN, 1, 1, 4, complex128(1), ones, 1, other, 4, complex128(0), c, 1})
}

// Types that nothing computes with are an error of the call.
func TestOtherTypes(t *testing.T) {
	h := newHarness(t)
	a, err := cuda.Upload(h.s, make([]byte, 16))
	require.NoError(t, err)
	defer a.Close()
	err = h.h.GemmEx(h.s, cublas.OpN, cublas.OpN, 1, 1, 1, scalarBytes(1, cublas.R32F), a.All(), cublas.R8FE4M3, 1, a.All(), cublas.R8FE4M3, 1, scalarBytes(0, cublas.R32F),
		a.All(), cublas.R32F, 1, cublas.Compute32F, cublas.GemmDefault)
	assert.ErrorIs(t, err, clib.ErrNotSimulated)
	assert.ErrorContains(t, err, "CUDA_R_8F_E4M3")
	assert.ErrorIs(t, h.h.SetEmulationStrategy(0), clib.ErrNotSimulated)
	assert.False(t, slices.Contains(isSet(), "SetEmulationStrategy"))
}
