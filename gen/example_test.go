package gen_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/gen"
)

// A Reader tells what a source has, without a compiler.
func ExampleReader() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "k.cu")
	source := "//cudagen:block 256\n//cudagen:threads n\n__global__ void scale(float *x, float factor, int n) {}\n"
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		log.Fatal(err)
	}
	reading := gen.NewReader(gen.Options{Package: "k"}).Read(path)
	fmt.Println(reading.Errors.Err(), len(reading.Kernels))
	// Output: <nil> 1
}

// Check compares committed files with their sources, without a compiler.
func ExampleCheck() {
	result, err := gen.Check(gen.Options{Sources: []string{"../example/kernels.cu"}, Archs: []string{"compute_75"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.OK(), result.Stale)
	// Output: true []
}

// The record that is committed beside generated code says with which options it was made.
func ExampleOptions_Recorded() {
	o, emitters, err := gen.Options{}.Recorded("../example/automaton/automaton.cudagen.json")
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Sources, o.Archs, o.Link, emitters)
	// Output: [../example/automaton/automaton.cu] [compute_75] [../example/automaton/rule.cu] []
}

// A record names the compiler of the images, and says what confirmed each parameter.
func ExampleReadRecord() {
	r, err := gen.ReadRecord("../example/saxpy/saxpy.cu")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Kernels[0].Params {
		fmt.Println(p.Name, p.Type, p.Offset, p.Witnesses)
	}
	// Output:
	// n int 0 [source ptx debug probe]
	// a float 4 [source ptx debug probe]
	// x const float * 8 [source ptx debug probe]
	// y float * 16 [source ptx debug probe]
}

// Clean with dry tells which files it would remove.
func ExampleClean() {
	_, left, err := gen.Clean([]string{"../example/saxpy"}, true)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range left {
		fmt.Println(filepath.Base(l.Path))
	}
	// Output:
	// saxpy.cudagen.json
	// saxpy.ptx
	// saxpy_cuda.go
}
