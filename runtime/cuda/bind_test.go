package cuda_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// imageOfPTX returns PTX as an image.
func imageOfPTX(ptx string) cuda.Image {
	sum := sha256.Sum256([]byte(ptx))
	return cuda.Image{Name: "hand.ptx", Data: ptx, SHA256: hex.EncodeToString(sum[:])}
}

// examplesPTX returns the example's kernels without its generated code.
func examplesPTX(t testing.TB) cuda.Image {
	ptx, err := os.ReadFile("../../example/kernels.ptx")
	require.NoError(t, err)
	return imageOfPTX(string(ptx))
}

func loadLibrary(t testing.TB, dev *cuda.Device, image cuda.Image) *cuda.Library {
	lib, err := dev.LoadLibrary(image)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lib.Close()) })
	return lib
}

// The arguments of the example's kernels, by hand.
type (
	saxpyArgs struct {
		N    int32
		A    float32
		X, Y cuda.Slice[float32]
	}
	heatArgs struct {
		Out, In       cuda.Slice[float32]
		Plate         example.Plate
		Columns, Rows uint32
	}
	mandelbrotArgs struct {
		Image         cuda.Slice[vec.UChar4]
		Width, Height int32
		Centre        vec.Double2
		Span          float64
		Limit         int32
	}
	transformArgs struct {
		From, To cuda.Slice[vec.Float2]
		Map      example.Affine
		N        int32
	}
	addDeltaArgs struct {
		N     int32
		Data  cuda.Ptr[int32]
		Delta int32
	}
)

// TestBindPassesTheArguments: the driver gets from a bound kernel the bytes that it gets from
// the generated one.
func TestBindPassesTheArguments(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	lib := loadLibrary(t, dev, examplesPTX(t))
	x, y := upload(t, s, make([]float32, 100)).All(), upload(t, s, make([]float32, 100)).Slice(1, 91)
	points, pixels := upload(t, s, make([]vec.Float2, 7)).All(), upload(t, s, make([]vec.UChar4, 64)).All()
	data := upload(t, s, []int32{1, 2, 3}).All()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(3, 2), Block: cuda.Dim(32), Fewer: true}
	plate := example.Plate{Size: vec.UInt2{X: 9, Y: 10}, Periodic: 3, Dt: 0.5, Conduct: [3]float32{1, 2, 3}}
	affine := example.Affine{M: [6]float32{1, 2, 3, 4, 5, 6}}
	for _, test := range []struct {
		name             string
		generated, bound func() error
	}{
		{"saxpy", func() error { return k.Saxpy.LaunchWith(s, cfg, 2.5, y, x) },
			both(t, lib, "saxpy", s, cfg, saxpyArgs{90, 2.5, y, x})},
		{"heat_step", func() error { return k.HeatStep.LaunchWith(s, cfg, y, x, plate, 9, 10) },
			both(t, lib, "heat_step", s, cfg, heatArgs{y, x, plate, 9, 10})},
		{"mandelbrot", func() error { return k.Mandelbrot.LaunchWith(s, cfg, pixels, 8, 7, vec.Double2{X: 1, Y: 2}, 3, 4) },
			both(t, lib, "mandelbrot", s, cfg, mandelbrotArgs{pixels, 8, 7, vec.Double2{X: 1, Y: 2}, 3, 4})},
		{"transform", func() error { return k.Transform.LaunchWith(s, cfg, points, points, affine) },
			both(t, lib, "transform", s, cfg, transformArgs{points, points, affine, 7})},
		{"add_delta", func() error { return k.AddDelta.LaunchWith(s, cfg, data, 5) },
			both(t, lib, "add_delta", s, cfg, addDeltaArgs{3, data.Ptr(), 5})},
	} {
		t.Run(test.name, func(t *testing.T) {
			library.Reset()
			require.NoError(t, test.generated())
			require.NoError(t, test.bound())
			launches := library.Launches()
			require.Len(t, launches, 4)
			for _, l := range launches[1:] {
				assert.Equal(t, launches[0].Arguments, l.Arguments)
				assert.Equal(t, launches[0].Grid, l.Grid)
				assert.False(t, l.Misaligned)
			}
		})
	}
	// Control: other arguments are other bytes.
	library.Reset()
	require.NoError(t, both(t, lib, "saxpy", s, cfg, saxpyArgs{90, 2.5, y, x})())
	require.NoError(t, both(t, lib, "saxpy", s, cfg, saxpyArgs{90, 2.5, x, y})())
	launches := library.Launches()
	assert.NotEqual(t, launches[0].Arguments, launches[3].Arguments)
}

// both returns what launches a bound kernel directly, prepared, and as a clone.
func both[Args any](t *testing.T, lib *cuda.Library, symbol string, s *cuda.Stream, cfg cuda.LaunchConfig, args Args) func() error {
	k, err := cuda.Bind[Args](lib, symbol)
	require.NoError(t, err)
	call, err := k.Prepare(cfg, args)
	require.NoError(t, err)
	require.NoError(t, call.Set(args))
	return func() error {
		if err := k.LaunchArgsWith(s, cfg, &args); err != nil {
			return err
		}
		if err := call.Launch(s); err != nil {
			return err
		}
		return call.Clone().Launch(s)
	}
}

// TestBind computes with bound kernels.
func TestBind(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		lib := loadLibrary(t, dev, examplesPTX(t))
		s := newStream(t, dev)
		saxpy, err := cuda.Bind[saxpyArgs](lib, "saxpy")
		require.NoError(t, err)
		assert.Equal(t, "saxpy", saxpy.Kernel().Name())
		x, y := upload(t, s, []float32{1, 2, 3}), upload(t, s, []float32{10, 20, 30})
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		args := saxpyArgs{3, 2, x.All(), y.All()}
		require.NoError(t, saxpy.LaunchArgsWith(s, cfg, &args))
		args.N = 2
		call, err := saxpy.Prepare(cfg, args)
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		args.A = 1
		require.NoError(t, call.Set(args))
		batch, err := cuda.NewBatch(call, call.Clone())
		require.NoError(t, err)
		require.NoError(t, batch.Launch(s))
		g, err := cuda.Capture(s, func(s *cuda.Stream) error { return saxpy.LaunchArgsWith(s, cfg, &args) })
		require.NoError(t, err)
		exec, err := g.Instantiate()
		require.NoError(t, err)
		require.NoError(t, exec.Launch(s))
		require.NoError(t, exec.Close())
		exec, err = cuda.BuildGraph(cuda.NewNode(call))
		require.NoError(t, err)
		defer exec.Close()
		args.A = 100
		require.NoError(t, call.Set(args))
		require.NoError(t, exec.UpdateCall(call))
		require.NoError(t, exec.Launch(s))
		host := make([]float32, 3)
		require.NoError(t, y.CopyTo(s, host))
		if !isFake(dev) {
			assert.Equal(t, []float32{10 + 2 + 2 + 1 + 1 + 1 + 100, 20 + 2*(2+2+1+1+1+100), 36}, host)
		}

		require.NoError(t, y.Close())
		assert.ErrorIs(t, saxpy.LaunchArgsWith(s, cfg, &args), cuda.ErrClosed)
		assert.ErrorContains(t, saxpy.LaunchArgsWith(s, cfg, &args), "the buffer of Y")
		assert.ErrorIs(t, call.Launch(s), cuda.ErrClosed)
		assert.ErrorIs(t, call.Set(args), cuda.ErrClosed)
		require.NoError(t, lib.Close())
		assert.ErrorContains(t, saxpy.LaunchArgsWith(s, cfg, &saxpyArgs{}), "the kernel's library: closed")
		_, err = cuda.Bind[saxpyArgs](lib, "saxpy")
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

// withGoPointer has what no kernel may have.
type withGoPointer struct {
	A int32
	P *int32
}

// shifted has a member that C++ would align.
type shifted struct {
	A int32
	V vec.Float2
	N int64
}

// TestBindRefusesTypes: what is not the same in C++ is an error that names the field.
func TestBindRefusesTypes(t *testing.T) {
	lib := loadLibrary(t, openSimulator(t), examplesPTX(t))
	for want, bind := range map[string]func() error{
		"int is not a struct":                 bound[int](lib),
		"cuda.Slice[float32] is not a struct": bound[cuda.Slice[float32]](lib),
		"field N of struct { N int }: int has the width of the platform: use int32, int64":            bound[struct{ N int }](lib),
		"field N of struct { N uintptr }: uintptr has the width of the platform":                      bound[struct{ N uintptr }](lib),
		"field N of struct { N uint }: uint has the width":                                            bound[struct{ N uint }](lib),
		"field P of struct { P *int32 }: *int32 is Go memory":                                         bound[struct{ P *int32 }](lib),
		"field P of struct { P []float32 }: []float32 is Go memory":                                   bound[struct{ P []float32 }](lib),
		"field P of struct { P unsafe.Pointer }: unsafe.Pointer is Go memory":                         bound[struct{ P unsafe.Pointer }](lib),
		"field S of struct { S string }: string does not exist in C++":                                bound[struct{ S string }](lib),
		"field S of struct { S interface {} }: interface {} does not exist":                           bound[struct{ S any }](lib),
		"field F of struct { F func() }: func() does not exist":                                       bound[struct{ F func() }](lib),
		"field M of struct { M map[int]int }: map[int]int does not exist":                             bound[struct{ M map[int]int }](lib),
		"field C of struct { C chan int }: chan int does not exist":                                   bound[struct{ C chan int }](lib),
		"field A of struct { A [0]int32 }: [0]int32 has no size":                                      bound[struct{ A [0]int32 }](lib),
		"field A of struct { A struct {} }: struct {} has 0 bytes, in C++ 1":                          bound[struct{ A struct{} }](lib),
		"field A of struct { A [2]int }: int has the width":                                           bound[struct{ A [2]int }](lib),
		"*int32 is Go memory, which a kernel must not use: use cuda.Slice or cuda.Ptr, in field P of": bound[struct{ W withGoPointer }](lib),
		"field V of cuda_test.shifted is at byte 4, in C++ at 8: add fields of padding":               bound[struct{ S shifted }](lib),
		"field 1 of struct { A int32; _ [4]uint8; N int64 } has no name": bound[struct {
			A int32
			_ [4]byte
			N int64
		}](lib),
		"cuda_test.shifted is embedded in": bound[struct{ shifted }](lib),
		"cuda.Slice[float32] has more than an address: use cuda.Ptr inside": bound[struct {
			S struct{ P cuda.Slice[float32] }
		}](lib),
		"cuda.Slice[int32] has more than an address":                           bound[struct{ S [2]cuda.Slice[int32] }](lib),
		"its elements: int has the width":                                      bound[struct{ S cuda.Slice[int] }](lib),
		"its elements: *int32 is Go memory":                                    bound[struct{ S cuda.Slice[*int32] }](lib),
		"its elements: field V of cuda_test.shifted is at byte 4, in C++ at 8": bound[struct{ S cuda.Slice[shifted] }](lib),
		"struct { V vec.Float4; N int32 } has 20 bytes, in C++ 32: add fields": bound[struct {
			S struct {
				V vec.Float4
				N int32
			}
		}](lib),
		"field S of struct { S *cuda.Stream }: *cuda.Stream is Go memory": bound[struct{ S *cuda.Stream }](lib),
		"*cuda.Buffer[float32] is Go memory":                              bound[struct{ S *cuda.Buffer[float32] }](lib),
		"has 4 parameters, the Go code has 0":                             bound[struct{}](lib), // the control: the type is right
	} {
		err := bind()
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "bind kernel saxpy")
	}
}

func bound[Args any](lib *cuda.Library) func() error {
	return func() error {
		_, err := cuda.Bind[Args](lib, "saxpy")
		return err
	}
}

// embedder looks like a Slice by the methods that it gets.
type embedder struct {
	cuda.Slice[float32]
	N int32
}

// TestBindComparesWithTheImage: parameters of other sizes, at other offsets, fewer and more are
// errors, and nothing is launched.
func TestBindComparesWithTheImage(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		lib := loadLibrary(t, dev, examplesPTX(t))
		type slice = cuda.Slice[float32]
		for want, bind := range map[string]func() error{
			"it has 4 parameters, the Go code has 3": bound[struct {
				N int32
				A float32
				X slice
			}](lib),
			"it has 4 parameters, the Go code has 5": bound[struct {
				N    int32
				A    float32
				X, Y slice
				More int32
			}](lib),
			"parameter 0 (N) has 4 bytes, 8 as int64": bound[struct {
				N    int64
				A    float32
				X, Y slice
			}](lib),
			"parameter 1 (A) has 4 bytes, 2 as vec.Float16": bound[struct {
				N    int32
				A    vec.Float16
				X, Y slice
			}](lib),
			"parameter 2 (X) has 8 bytes, 4 as float32": bound[struct {
				N    int32
				A, X float32
				Y    slice
			}](lib),
			"has more than an address": bound[struct { // the embedded Slice
				N    int32
				A    float32
				X, Y embedder
			}](lib),
		} {
			assert.ErrorContains(t, bind(), want)
		}
		assert.ErrorIs(t, bound[struct{ N int64 }](lib)(), cuda.ErrABI)
		_, err := cuda.Bind[struct{}](lib, "nothing")
		assert.ErrorIs(t, err, cuda.ErrNotFound)
		assert.ErrorContains(t, err, "bind kernel nothing on "+dev.String()+": hand.ptx does not contain it: use a symbol that it has")
		_, err = cuda.Bind[saxpyArgs](nil, "saxpy")
		assert.ErrorContains(t, err, "the library is nil")
		_, err = cuda.Bind[saxpyArgs](new(cuda.Library), "saxpy")
		assert.ErrorContains(t, err, "the library is nil")

		_, err = cuda.Bind[struct { // the control: of the same sizes
			_ [0]uint8
		}](lib, "saxpy")
		assert.ErrorContains(t, err, "has no name")
		_, err = cuda.Bind[struct {
			N    uint32
			A    int32
			X, Y cuda.Ptr[float64]
		}](lib, "saxpy")
		assert.NoError(t, err, "the control: types of equal size are not told apart")
	})
}

// TestBindOffsets: offsets that no alignment of the field's type explains are errors.
func TestBindOffsets(t *testing.T) {
	const ptx = `.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u32 a, .param .align 16 .b8 s[24], .param .u16 b) { ret; }
`
	lib := loadLibrary(t, openSimulator(t), imageOfPTX(ptx))
	type three struct{ A, B, C float64 }
	_, err := cuda.Bind[struct {
		A int32
		S three
		B int16
	}](lib, "k")
	assert.NoError(t, err, "C++ may align a struct")
	_, err = cuda.Bind[struct {
		A int32
		S [6]float32
		B vec.Float16
	}](lib, "k")
	assert.NoError(t, err, "an array stands for a struct")
	const other = `.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u32 a, .param .align 4 .b8 s[8], .param .u16 b) { ret; }
`
	lib = loadLibrary(t, openSimulator(t), imageOfPTX(other))
	_, err = cuda.Bind[struct {
		A int32
		S int64
		B int16
	}](lib, "k")
	assert.ErrorIs(t, err, cuda.ErrABI)
	assert.ErrorContains(t, err, "parameter 1 (S) is at byte 4, at 8 as int64")
	_, err = cuda.Bind[struct {
		A int32
		S [2]int32
		B int16
	}](lib, "k")
	assert.NoError(t, err, "the control")
}

// TestBindByPTX: the text says the same as the driver, for drivers that do not tell.
func TestBindByPTX(t *testing.T) {
	image := examplesPTX(t)
	lib := loadLibrary(t, openSimulator(t), image)
	for _, symbol := range []string{"saxpy", "sum", "mandelbrot", "heat_step", "_ZN5stats9histogramEPKhPjij", "add_delta", "transform", "smooth"} {
		driver, text := cuda.Places(t, lib, symbol)
		assert.NotEmpty(t, text, symbol)
		assert.Equal(t, driver, text, symbol)
	}
	_, text := cuda.Places(t, loadLibrary(t, openSimulator(t), imageOfPTX(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry saxpy() { ret; }\n")), "saxpy")
	assert.Empty(t, text, "the control")
}

// TestBindOwners: a launch looks at owners, variables and handles among the arguments.
func TestBindOwners(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		image := imageOfPTX(examplesPTX(t).Data + ".visible .global .align 4 .b8 table[20];\n")
		lib := loadLibrary(t, dev, image)
		s := newStream(t, dev)
		table, err := cuda.LoadSymbol[[5]float32](lib, "table", "table")
		require.NoError(t, err)
		out := upload(t, s, make([]float32, 5))
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		type args struct {
			N      int32
			A      float32
			X      cuda.Symbol[[5]float32]
			Y      cuda.Slice[float32]
			Owner  cuda.Owner
			Owners []cuda.Owner
		}
		saxpy, err := cuda.Bind[args](lib, "saxpy")
		require.NoError(t, err)
		require.NoError(t, table.Set(s, [5]float32{1, 2, 3, 4, 5}))
		require.NoError(t, saxpy.LaunchArgsWith(s, cfg, &args{N: 5, A: 1, X: table, Y: out.All()}))
		other, closed := upload(t, s, []byte{1}), upload(t, s, []byte{1})
		require.NoError(t, closed.Close())
		call, err := saxpy.Prepare(cfg, args{N: 4, A: 1, X: table, Y: out.All(), Owner: other.Owner(), Owners: []cuda.Owner{other.Owner(), {}}})
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		host := make([]float32, 5)
		require.NoError(t, out.CopyTo(s, host))
		if !isFake(dev) {
			assert.Equal(t, []float32{2, 4, 6, 8, 5}, host)
		}
		for _, bad := range []args{{Owner: closed.Owner()}, {Owners: []cuda.Owner{{}, closed.Owner()}}} {
			bad.X, bad.Y = table, out.All()
			assert.ErrorIs(t, saxpy.LaunchArgsWith(s, cfg, &bad), cuda.ErrClosed)
			assert.ErrorContains(t, saxpy.LaunchArgsWith(s, cfg, &bad), "the buffer of Owners: closed")
			_, err := saxpy.Prepare(cfg, bad)
			assert.ErrorIs(t, err, cuda.ErrClosed)
		}
		assert.ErrorContains(t, saxpy.LaunchArgsWith(s, cfg, &args{}), "X: it was not loaded")
		_, err = saxpy.Prepare(cfg, args{})
		assert.ErrorContains(t, err, "X: it was not loaded")
		require.NoError(t, other.Close())
		assert.ErrorIs(t, call.Launch(s), cuda.ErrClosed)

		// A variable goes with its own library, which need not be the kernel's.
		apart := loadLibrary(t, dev, imageOfPTX(image.Data+"// Another image.\n"))
		theirs, err := cuda.LoadSymbol[[5]float32](apart, "table", "table")
		require.NoError(t, err)
		call, err = saxpy.Prepare(cfg, args{N: 5, A: 1, X: theirs, Y: out.All()})
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		require.NoError(t, apart.Close())
		assert.ErrorContains(t, call.Launch(s), "the library of X: closed")
		assert.ErrorContains(t, saxpy.LaunchArgsWith(s, cfg, &args{X: theirs, Y: out.All()}), "the library of X: closed")

		type handled struct {
			N    int32
			A    float32
			X    cuda.ConditionalHandle
			Y, Z cuda.Slice[float32]
		}
		type handle struct {
			N int32
			A float32
			X cuda.ConditionalHandle
			Y cuda.Slice[float32]
		}
		_, err = cuda.Bind[handled](lib, "saxpy")
		assert.ErrorIs(t, err, cuda.ErrABI)
		conditional, err := cuda.Bind[handle](lib, "saxpy")
		require.NoError(t, err)
		for _, h := range []cuda.ConditionalHandle{{}, cuda.NewConditional(1).Handle()} {
			assert.ErrorContains(t, conditional.LaunchArgsWith(s, cfg, &handle{X: h, Y: out.All()}), "X exists only in a graph")
		}
	})
}

// TestBoundCondition: a bound kernel gets the handle of a conditional in a graph.
func TestBoundCondition(t *testing.T) {
	const ptx = `.version 8.3
.target sm_75
.address_size 64
.visible .entry note(.param .u64 h, .param .u64 out, .param .u32 n) {
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [h];
	ld.param.u64 %rd2, [out];
	st.global.u64 [%rd2], %rd1;
	ret;
}
`
	dev := openSimulator(t)
	s := newStream(t, dev)
	type args struct {
		Handle cuda.ConditionalHandle
		Out    cuda.Slice[uint64]
		N      int32
	}
	k, err := cuda.Bind[args](loadLibrary(t, dev, imageOfPTX(ptx)), "note")
	require.NoError(t, err)
	out, condition := upload(t, s, []uint64{0}), cuda.NewConditional(0)
	call, err := k.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, args{Handle: condition.Handle(), Out: out.All()})
	require.NoError(t, err)
	node := cuda.NewNode(call)
	body, err := cuda.DefineGraph(new(cuda.Node))
	require.NoError(t, err)
	exec, err := cuda.BuildGraph(condition.If(body, nil).After(node))
	require.NoError(t, err)
	defer exec.Close()
	require.NoError(t, exec.Launch(s))
	host := []uint64{0}
	require.NoError(t, out.CopyTo(s, host))
	assert.NotZero(t, host[0])
	assert.Less(t, host[0], uint64(1)<<32, "not an address of Go's")
}

// TestBoundNilAndZero: what was not made by Bind is an error.
func TestBoundNilAndZero(t *testing.T) {
	for _, k := range []*cuda.BoundKernel[saxpyArgs]{nil, {}} {
		assert.Nil(t, k.Kernel())
		assert.ErrorIs(t, k.LaunchArgsWith(nil, cuda.LaunchConfig{}, &saxpyArgs{}), cuda.ErrInvalidValue)
		_, err := k.Prepare(cuda.LaunchConfig{}, saxpyArgs{})
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	}
	for _, c := range []*cuda.BoundCall[saxpyArgs]{nil, {}} {
		assert.ErrorIs(t, c.Set(saxpyArgs{}), cuda.ErrInvalidValue)
		assert.Error(t, c.Clone().Set(saxpyArgs{}))
		assert.Error(t, c.Launch(nil))
		assert.Nil(t, c.Kernel())
		assert.Zero(t, c.Config())
	}
	dev := openSimulator(t)
	k, err := cuda.Bind[saxpyArgs](loadLibrary(t, dev, examplesPTX(t)), "saxpy")
	require.NoError(t, err)
	assert.ErrorContains(t, k.LaunchArgsWith(newStream(t, dev), cuda.LaunchConfig{}, nil), "the arguments are nil")
	assert.ErrorContains(t, k.LaunchArgsWith(nil, cuda.LaunchConfig{}, &saxpyArgs{}), "the stream is nil")
}

func TestBoundAllocatesNothing(t *testing.T) {
	dev, _ := openFake(t)
	s := newStream(t, dev)
	k, err := cuda.Bind[saxpyArgs](loadLibrary(t, dev, examplesPTX(t)), "saxpy")
	require.NoError(t, err)
	x := upload(t, s, make([]float32, 1000)).All()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}
	call, err := k.Prepare(cfg, saxpyArgs{1000, 2, x, x})
	require.NoError(t, err)
	type owning struct {
		N      int32
		A      float32
		X, Y   cuda.Slice[float32]
		Owner  cuda.Owner
		Owners []cuda.Owner
	}
	owner, err := cuda.Bind[owning](loadLibrary(t, dev, examplesPTX(t)), "saxpy")
	require.NoError(t, err)
	for name, launch := range map[string]func() error{
		"LaunchArgsWith": func() error { return k.LaunchArgsWith(s, cfg, &saxpyArgs{1000, 2, x, x}) },
		"no owners":      func() error { return owner.LaunchArgsWith(s, cfg, &owning{N: 1000, A: 2, X: x, Y: x}) },
		"Launch":         func() error { return call.Launch(s) },
		"Set":            func() error { return call.Set(saxpyArgs{1000, 3, x, x}) },
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if err := launch(); err != nil {
				panic(err)
			}
		})
		if !raceEnabled {
			assert.Zero(t, allocs, name)
		}
	}
	assert.NotZero(t, testing.AllocsPerRun(100, func() { sink = k.LaunchArgsWith(s, cfg, nil) }), "the control")
}

// BenchmarkBound compares a bound kernel with the generated one, over the fake driver.
func BenchmarkBound(b *testing.B) {
	dev, library := openFake(b)
	k, s := loaded(b, dev)
	bound, err := cuda.Bind[saxpyArgs](loadLibrary(b, dev, examplesPTX(b)), "saxpy")
	require.NoError(b, err)
	x := upload(b, s, make([]float32, 1000)).All()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}
	for _, form := range []struct {
		name   string
		launch func() error
	}{
		{"generated", func() error { return k.Saxpy.LaunchWith(s, cfg, 2, x, x) }},
		{"bound", func() error { return bound.LaunchArgsWith(s, cfg, &saxpyArgs{1000, 2, x, x}) }},
	} {
		b.Run(form.name, func(b *testing.B) {
			library.Reset()
			b.ReportAllocs()
			for b.Loop() {
				if err := form.launch(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
