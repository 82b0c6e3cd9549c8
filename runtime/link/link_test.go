package link_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/link"
	"github.com/cudagen/cudagen/runtime/nvrtc"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

const head = ".version 7.0\n.target sm_75\n.address_size 64\n"

// kernels calls shape, which another text defines, for each of n numbers.
const kernels = head + `
.extern .func (.param .b32 result) shape (.param .b32 x);
.extern .const .align 4 .f32 scale;
.visible .global .align 4 .u32 calls = 7;
.visible .entry draw (.param .u64 y, .param .u32 n) {
	.reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [y];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra done;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	{ .param .b32 a; .param .b32 b;
	st.param.f32 [a], %f1;
	call.uni (b), shape, (a);
	ld.param.f32 %f2, [b]; }
	ld.const.f32 %f3, [scale];
	mul.f32 %f2, %f2, %f3;
	st.global.f32 [%rd3], %f2;
done:
	ret;
}
`

// squares and negatives are two shapes. Both have a helper of the same name as none else sees.
const squares = head + `
.visible .const .align 4 .f32 scale = 0f40400000;
.func (.param .b32 result) helper (.param .b32 x) { .reg .f32 %f<2>; ld.param.f32 %f1, [x]; mul.f32 %f1, %f1, %f1; st.param.f32 [result], %f1; ret; }
.visible .func (.param .b32 result) shape (.param .b32 x) {
	.reg .f32 %f<3>;
	ld.param.f32 %f1, [x];
	{ .param .b32 a; .param .b32 b;
	st.param.f32 [a], %f1;
	call.uni (b), helper, (a);
	ld.param.f32 %f2, [b]; }
	st.param.f32 [result], %f2;
	ret;
}
`

type drawArgs struct {
	Y cuda.Slice[float32]
	N int32
}

// draw runs the kernel draw of lib for 1, 2, 3, 4.
func draw(t testing.TB, dev *cuda.Device, lib *cuda.Library) []float32 {
	t.Helper()
	k, err := cuda.Bind[drawArgs](lib, "draw")
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	y, err := cuda.Upload(s, []float32{1, 2, 3, 4})
	require.NoError(t, err)
	defer y.Close()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
	require.NoError(t, k.LaunchArgsWith(s, cfg, &drawArgs{Y: y.All(), N: 4}))
	got := make([]float32, 4)
	require.NoError(t, y.CopyTo(s, got))
	return got
}

func load(t testing.TB, dev *cuda.Device, image cuda.Image) *cuda.Library {
	t.Helper()
	lib, err := dev.LoadLibrary(image)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, lib.Close()) })
	return lib
}

func inputs(texts ...string) (list []link.Input) {
	for i, text := range texts {
		list = append(list, link.Input{Name: []string{"kernels.ptx", "shape.ptx", "more.ptx"}[i], Data: []byte(text)})
	}
	return list
}

// Linked PTX runs on the simulated device, without any library of NVIDIA's.
func TestSimulated(t *testing.T) {
	dev := simulator(t)
	arch, err := link.ArchFor(dev)
	require.NoError(t, err)
	linked, err := link.New(link.Config{Library: "/nowhere"}).Link(t.Context(), link.Options{Arch: arch, Name: "picture"}, inputs(kernels, squares)...)
	require.NoError(t, err)
	assert.Equal(t, "picture.ptx", linked.Image.Name)
	assert.Equal(t, "cudagen", linked.Linker)
	assert.Equal(t, []float32{3, 12, 27, 48}, draw(t, dev, load(t, dev, linked.Image)))
}

func simulator(t testing.TB) *cuda.Device {
	t.Helper()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	return dev
}

// What NVRTC compiles links, on the simulated device and by nvJitLink.
func TestLinkCompiled(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	compiled := func(name, source string) link.Input {
		c, err := nvrtc.Compile(t.Context(), source, nvrtc.Options{Arch: "compute_80", Name: name, Flags: []string{"--relocatable-device-code=true"}})
		require.NoError(t, err)
		return link.Of(c.Image)
	}
	list := []link.Input{compiled("draw.cu", drawSource), compiled("shape.cu", shapeSource)}
	dev := simulator(t)
	linked, err := link.Link(t.Context(), link.Options{Arch: "compute_80"}, list...)
	require.NoError(t, err)
	assert.Equal(t, []float32{4, 6, 8, 10}, draw(t, dev, load(t, dev, linked.Image)))

	t.Run("GPU", func(t *testing.T) {
		testenv.Need(t, testenv.GPU)
		dev, err := cuda.OpenDefault()
		require.NoError(t, err)
		defer dev.Close()
		assert.Equal(t, []float32{4, 6, 8, 10}, draw(t, dev, load(t, dev, linked.Image)))
	})
	t.Run("nvJitLink", func(t *testing.T) {
		linked, err := jitLink(t).Link(t.Context(), link.Options{Arch: "sm_90"}, list...)
		require.NoError(t, err)
		assert.Equal(t, "linked.cubin", linked.Image.Name)
		assert.Equal(t, []string{"sm_90"}, linked.Image.Targets)
		assert.Contains(t, linked.Linker, "nvJitLink 1")
	})
}

// jitLink returns a linker with the real nvJitLink.
func jitLink(t testing.TB) *link.Linker {
	t.Helper()
	return link.New(link.Config{Library: testenv.JITLinkPath(t)})
}

// With nvJitLink, PTX is refused for the same names as without it.
func TestJITLinkErrors(t *testing.T) {
	path := testenv.JITLinkPath(t)
	for name, test := range map[string]struct {
		texts []string
		want  string
	}{
		"undefined function": {[]string{kernels}, "kernels.ptx: undefined reference to device function shape in draw"},
		"undefined variable": {[]string{kernels}, "kernels.ptx: undefined reference to device variable scale in draw"},
		"duplicate function": {[]string{kernels, squares, squares}, "more.ptx: multiple definition of device function shape, first defined in shape.ptx"},
		"duplicate variable": {[]string{kernels, squares, squares}, "more.ptx: multiple definition of device variable scale, first defined in shape.ptx"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, arch := range []string{"compute_90", "sm_90"} {
				linked, err := link.New(link.Config{Library: path}).Link(t.Context(), link.Options{Arch: arch, Name: "picture"}, inputs(test.texts...)...)
				assert.Nil(t, linked)
				var e *link.Error
				require.ErrorAs(t, err, &e)
				assert.Contains(t, e.Log, test.want, arch)
				assert.Contains(t, err.Error(), test.want, arch)
				assert.Contains(t, err.Error(), "linking picture with ", arch)
			}
		})
	}
}

// What cannot be linked is refused before any library is looked for.
func TestRefusals(t *testing.T) {
	elf := "\x7fELF\x02\x01\x01\x33\x07\x00\x00\x00\x00\x00\x00\x00\x02\x00\xbe\x00"
	for name, test := range map[string]struct {
		o      link.Options
		inputs []link.Input
		want   string
	}{
		"no architecture":       {link.Options{}, inputs(kernels), `linking linked: architecture "": write compute_XX for PTX or sm_XX for machine code`},
		"nothing":               {link.Options{Arch: "sm_90"}, nil, "linking linked: there is nothing to link"},
		"an empty input":        {link.Options{Arch: "sm_90"}, []link.Input{{Name: "a.ptx"}}, "linking linked: a.ptx is empty"},
		"text":                  {link.Options{Arch: "sm_90"}, []link.Input{{Data: []byte("hello")}}, "linking linked: input 1 is not PTX, a cubin, a fatbin, LTO-IR, an object file or an archive"},
		"a kind":                {link.Options{Arch: "sm_90"}, []link.Input{{Kind: 77, Data: []byte("hello")}}, "linking linked: input 1 has kind 77"},
		"a cubin for PTX":       {link.Options{Arch: "compute_90"}, []link.Input{{Name: "k.cubin", Data: []byte(elf)}}, "linking linked: k.cubin is a cubin: a link for compute_90 takes PTX only, and LTO-IR with LTO"},
		"an object for PTX":     {link.Options{Arch: "compute_90"}, []link.Input{{Name: "k.o", Data: []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x3e\x00")}}, "k.o is an object file"},
		"an archive for PTX":    {link.Options{Arch: "compute_90"}, []link.Input{{Name: "k.a", Data: []byte("!<arch>\n")}}, "k.a is an archive"},
		"a fatbin for PTX":      {link.Options{Arch: "compute_90"}, []link.Input{{Name: "k.fatbin", Data: []byte("\x50\xed\x55\xba")}}, "k.fatbin is a fatbin"},
		"LTO-IR for PTX":        {link.Options{Arch: "compute_90"}, []link.Input{{Name: "k.ltoir", Data: []byte("\xed\x43\x4e\x7f")}}, "k.ltoir is LTO-IR"},
		"PTX for newer devices": {link.Options{Arch: "compute_70"}, inputs(kernels, squares), "the inputs are PTX for sm_75, and the target is compute_70"},
	} {
		t.Run(name, func(t *testing.T) {
			linked, err := link.Link(t.Context(), test.o, test.inputs...)
			assert.Nil(t, linked)
			require.ErrorContains(t, err, test.want)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		})
	}
	var none *link.Linker
	for _, l := range []*link.Linker{none, {}} {
		_, err := l.Link(t.Context(), link.Options{Arch: "sm_90"}, inputs(kernels)...)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	}
}

// PTX for one device, or for a family of them, is none for others.
func TestTargetsOfDevices(t *testing.T) {
	for _, test := range []struct {
		target, arch string
		fits         bool
	}{
		{"sm_75", "compute_90", true}, {"sm_75", "compute_90a", true},
		{"sm_90a", "compute_90", false}, {"sm_90a", "compute_90a", true}, {"sm_90a", "compute_100a", false}, {"sm_90a", "compute_100", false},
		{"sm_100f", "compute_100f", true}, {"sm_100f", "compute_103f", true}, {"sm_100f", "compute_103a", true}, {"sm_100f", "compute_103", false},
		{"sm_100f", "compute_120f", false}, {"sm_103f", "compute_100f", false},
	} {
		texts := inputs(strings.Replace(kernels, "sm_75", test.target, 1), strings.Replace(squares, "sm_75", test.target, 1))
		_, err := link.New(link.Config{Library: "/nowhere"}).Link(t.Context(), link.Options{Arch: test.arch}, texts...)
		assert.Equal(t, test.fits, err == nil, "%v: %v", test, err)
		if err != nil {
			assert.ErrorContains(t, err, "link for compute_"+strings.TrimPrefix(test.target, "sm_"))
		}
	}
}

// Without nvJitLink, PTX is linked as PTX, also for a GPU, and nothing else is.
func TestWithoutLibrary(t *testing.T) {
	none := link.New(link.Config{Library: filepath.Join(t.TempDir(), "libnvJitLink.so.13")})
	linked, err := none.Link(t.Context(), link.Options{Arch: "sm_90"}, inputs(kernels, squares)...)
	require.NoError(t, err)
	assert.Equal(t, "linked.ptx", linked.Image.Name)
	assert.Empty(t, linked.Image.Targets)
	for name, o := range map[string]link.Options{"LTO": {Arch: "sm_90", LTO: true}, "flags": {Arch: "sm_90", Flags: []string{"-O0"}}} {
		_, err := none.Link(t.Context(), o, inputs(kernels, squares)...)
		var missing *link.NotFoundError
		require.ErrorAs(t, err, &missing, name)
		assert.ErrorContains(t, err, "run cudagen toolchain install -with nvjitlink")
	}
	_, err = none.Link(t.Context(), link.Options{Arch: "sm_90"}, link.Input{Data: []byte("\x50\xed\x55\xba")})
	var missing *link.NotFoundError
	assert.ErrorAs(t, err, &missing)

	garbage := filepath.Join(t.TempDir(), "libnvJitLink.so.13")
	require.NoError(t, os.WriteFile(garbage, []byte("no library"), 0o600))
	_, err = link.New(link.Config{Library: garbage}).Link(t.Context(), link.Options{Arch: "sm_90"}, inputs(kernels, squares)...)
	assert.ErrorContains(t, err, "nvJitLink "+garbage)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user left")
	cancel(why)
	for _, arch := range []string{"compute_75", "sm_90"} {
		_, err := link.Link(ctx, link.Options{Arch: arch}, inputs(kernels, squares)...)
		assert.ErrorIs(t, err, why, arch)
	}
}

// compileWith returns what nvcc makes of a text.
func compileWith(t testing.TB, name, text string, flags ...string) link.Input {
	t.Helper()
	nvcc := testenv.NVCCPath(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	cmd := exec.Command(nvcc, append(flags, "-o", "out", name)...)
	cmd.Dir = dir
	log, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", log)
	code, err := os.ReadFile(filepath.Join(dir, "out"))
	require.NoError(t, err)
	return link.Input{Name: name, Data: code}
}

// Cubins link, and what nvJitLink leaves out in silence is an error.
func TestLinkCubins(t *testing.T) {
	library := jitLink(t)
	cubin := func(name, text string) link.Input {
		return compileWith(t, name, text, "-rdc=true", "-cubin", "-arch", "sm_90")
	}
	k := cubin("kernels.ptx", kernels)
	linked, err := library.Link(t.Context(), link.Options{Arch: "sm_90"}, k, cubin("shape.ptx", squares))
	require.NoError(t, err)
	assert.Equal(t, "linked.cubin", linked.Image.Name)
	mixed, err := library.Link(t.Context(), link.Options{Arch: "sm_90"}, k, link.Input{Name: "shape.ptx", Data: []byte(squares)})
	require.NoError(t, err)
	assert.NotEmpty(t, mixed.Image.Data)
	for name, test := range map[string]struct {
		inputs []link.Input
		want   string
	}{
		"undefined":                {[]link.Input{k}, "shape"},
		"twice":                    {[]link.Input{k, cubin("shape.ptx", squares), cubin("more.ptx", squares)}, "more.ptx: multiple definition of shape, first defined in shape.ptx"},
		"twice, once PTX":          {[]link.Input{k, cubin("shape.ptx", squares), {Name: "more.ptx", Data: []byte(squares)}}, "more.ptx: multiple definition of shape, first defined in shape.ptx"},
		"another size":             {[]link.Input{k, cubin("shape.ptx", strings.Replace(squares, ".f32 scale = 0f40400000", ".f64 scale", 1))}, "shape.ptx: scale has 8 bytes, and 4 in kernels.ptx"},
		"another prototype":        {[]link.Input{k, cubin("shape.ptx", strings.ReplaceAll(squares, "shape (.param .b32 x)", "shape (.param .b64 x)"))}, "shape.ptx: the parameters or the result of shape are not those in kernels.ptx"},
		"another prototype in PTX": {[]link.Input{k, {Name: "shape.ptx", Data: []byte(strings.ReplaceAll(squares, "shape (.param .b32 x)", "shape (.param .b64 x)"))}}, "shape.ptx: the parameters or the result of shape are not those in kernels.ptx"},
	} {
		t.Run(name, func(t *testing.T) {
			linked, err := library.Link(t.Context(), link.Options{Arch: "sm_90"}, test.inputs...)
			assert.Nil(t, linked)
			var e *link.Error
			require.ErrorAs(t, err, &e)
			assert.Contains(t, err.Error(), test.want)
		})
	}
}

const (
	drawSource  = "extern __device__ float shape(float);\nextern __constant__ float scale;\nextern \"C\" __global__ void draw(float *y, int n) { int i = threadIdx.x; if (i < n) y[i] = shape(y[i]) * scale; }\n"
	shapeSource = "__constant__ float scale = 2;\n__device__ float shape(float x) { return x + 1; }\n"
)

// LTO-IR links to machine code, and to PTX, which the simulated device runs.
func TestLinkLTO(t *testing.T) {
	library := jitLink(t)
	ltoir := func(name, text string) link.Input {
		return compileWith(t, name, text, "-dlto", "-rdc=true", "-ltoir", "-arch=sm_80")
	}
	k, shape := ltoir("draw.cu", drawSource), ltoir("shape.cu", shapeSource)
	linked, err := library.Link(t.Context(), link.Options{Arch: "sm_80", LTO: true}, k, shape)
	require.NoError(t, err)
	assert.Equal(t, []string{"sm_80"}, linked.Image.Targets)
	linked, err = library.Link(t.Context(), link.Options{Arch: "compute_80", LTO: true}, k, shape)
	require.NoError(t, err)
	assert.Equal(t, "linked.ptx", linked.Image.Name)
	assert.NotContains(t, linked.Image.Data, "call", "optimized across inputs")
	dev := simulator(t)
	assert.Equal(t, []float32{4, 6, 8, 10}, draw(t, dev, load(t, dev, linked.Image)))

	_, err = library.Link(t.Context(), link.Options{Arch: "sm_80", LTO: true}, k, shape, shape)
	assert.ErrorContains(t, err, "symbol multiply defined")
	_, err = library.Link(t.Context(), link.Options{Arch: "sm_80"}, k, shape)
	assert.ErrorContains(t, err, "NVJITLINK_ERROR_")
}

// Inputs that cannot be looked into are linked on request.
func TestLinkUnchecked(t *testing.T) {
	library := jitLink(t)
	k := compileWith(t, "draw.cu", drawSource, "-dc", "-arch", "sm_80")
	shape := compileWith(t, "shape.cu", shapeSource, "-fatbin", "-rdc=true", "-arch", "sm_80")
	_, err := library.Link(t.Context(), link.Options{Arch: "sm_80"}, k, shape)
	assert.ErrorContains(t, err, "linking linked: nvJitLink does not report names that draw.cu, an object file, and other inputs both define, and leaves code out: link PTX or cubins, LTO-IR alone, or set Unchecked")
	linked, err := library.Link(t.Context(), link.Options{Arch: "sm_80", Unchecked: true}, k, shape)
	require.NoError(t, err)
	assert.Contains(t, linked.Image.Data, "draw")
}

// Linked images run on a GPU: what nvJitLink makes, and PTX, which the driver assembles.
func TestLinkedOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.OpenDefault()
	require.NoError(t, err)
	defer dev.Close()
	arch, err := link.ArchFor(dev)
	require.NoError(t, err)
	want := []float32{3, 12, 27, 48}
	t.Run("PTX", func(t *testing.T) {
		linked, err := link.Link(t.Context(), link.Options{Arch: strings.Replace(arch, "sm_", "compute_", 1)}, inputs(kernels, squares)...)
		require.NoError(t, err)
		assert.Equal(t, want, draw(t, dev, load(t, dev, linked.Image)))
	})
	t.Run("nvJitLink", func(t *testing.T) {
		linked, err := jitLink(t).Link(t.Context(), link.Options{Arch: arch}, inputs(kernels, squares)...)
		require.NoError(t, err)
		require.Equal(t, "linked.cubin", linked.Image.Name)
		assert.Equal(t, want, draw(t, dev, load(t, dev, linked.Image)))
	})
}

// Many goroutines link at once.
func TestJITLinkConcurrent(t *testing.T) {
	library := jitLink(t)
	var wait sync.WaitGroup
	for i := range 8 {
		arch := []string{"sm_90", "compute_90"}[i%2]
		wait.Go(func() {
			_, err := library.Link(t.Context(), link.Options{Arch: arch}, inputs(kernels, squares)...)
			assert.NoError(t, err)
		})
	}
	wait.Wait()
}
