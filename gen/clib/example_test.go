package clib_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/gen/clib"
)

// A pointer of which nothing says what it points to is an error.
func ExampleGenerate() {
	folder, err := os.MkdirTemp("", "scale")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	header := filepath.Join(folder, "scale.h")
	text := `//cudagen:library scale linux=libscale.so
typedef struct CUstream_st *cudaStream_t;

//cudagen:len x=m
extern "C" void scale(float *x, int n, float factor, cudaStream_t stream);
`
	if err := os.WriteFile(header, []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	_, err = clib.Generate(context.Background(), clib.Options{Source: header, FindCompiler: confirmed})
	fmt.Println(filepath.Base(err.Error()))
	// Output: scale.h:4:15: scale: m: there is no parameter or constant m (there are x, n, factor, stream)
}
