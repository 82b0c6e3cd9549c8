package nvrtc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nvrtc"
	_ "github.com/cudagen/cudagen/runtime/sim" // runs without a GPU
)

// A kernel from text to result: NVRTC needs no GPU.
func ExampleCompile() {
	const source = `template <class T> __global__ void scale(T *x, T a, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}`
	dev, err := cuda.OpenSimulator() // programs call OpenDefault
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	arch, err := nvrtc.ArchFor(dev)
	if err != nil {
		log.Fatal(err)
	}
	compiled, err := nvrtc.Compile(context.Background(), source, nvrtc.Options{Arch: arch, Kernels: []string{"scale<float>"}})
	if err != nil {
		log.Fatal(err) // a *nvrtc.NotFoundError says how to install NVRTC
	}
	library, err := dev.LoadLibrary(compiled.Image)
	if err != nil {
		log.Fatal(err)
	}
	defer library.Close()
	type scaleArgs struct { // a field for each parameter
		X cuda.Slice[float32]
		A float32
		N int64
	}
	scale, err := cuda.Bind[scaleArgs](library, compiled.Symbols["scale<float>"])
	if err != nil {
		log.Fatal(err)
	}
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x, err := cuda.Upload(s, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
	if err := scale.LaunchArgsWith(s, cfg, &scaleArgs{X: x.All(), A: 2, N: 3}); err != nil {
		log.Fatal(err)
	}
	host, err := x.All().Download(s)
	fmt.Println(host, err)
}

// A compiler of its own, which keeps nothing. Errors in the source have positions.
func ExampleCompiler() {
	compiler, err := nvrtc.New(nvrtc.Config{Off: true})
	if err != nil {
		log.Fatal(err)
	}
	_, err = compiler.Compile(context.Background(), "__global__ void k(int n) { n + ; }", nvrtc.Options{Arch: "compute_75"})
	var wrong *nvrtc.CompileError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Errors)
	}
}

// printed returns what f prints.
func printed(t *testing.T, f func()) string {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	f()
	require.NoError(t, w.Close())
	var text bytes.Buffer
	_, err = io.Copy(&text, r)
	require.NoError(t, err)
	return text.String()
}

// The examples print what they should. They have no Output, because not every machine has NVRTC.
func TestExamples(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("CUDAGEN_CACHE", "off")
	assert.Equal(t, "[2 4 6] <nil>\n", printed(t, ExampleCompile))
	assert.Contains(t, printed(t, ExampleCompiler), "kernels.cu:1: expected an expression")
}
