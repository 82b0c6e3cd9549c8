//go:build linux && (amd64 || arm64)

package libraries

import (
	"os"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// BenchmarkContext measures what makes a context current: calls of the driver by a loop in C.
func BenchmarkContext(b *testing.B) {
	if os.Getenv("CUDAGEN_LIBRARY_LOOPS") == "" {
		b.Skip("CUDAGEN_LIBRARY_LOOPS names no library of loops.c")
	}
	loops := need[uintptr](b)(purego.Dlopen(os.Getenv("CUDAGEN_LIBRARY_LOOPS"), purego.RTLD_NOW))
	var contexts func(get, set, push, pop uintptr, kind int32, count uintptr) float64
	purego.RegisterLibFunc(&contexts, loops, "contexts")
	d := need[*cuda.Device](b)(cuda.Open(0))
	defer d.Close()
	driver := library(b, "libcuda")
	get, set := symbol(b, driver, "cuCtxGetCurrent"), symbol(b, driver, "cuCtxSetCurrent")
	push, pop := symbol(b, driver, "cuCtxPushCurrent_v2"), symbol(b, driver, "cuCtxPopCurrent_v2")
	for b.Loop() {
	}
	err := d.Do(func() error {
		for kind, name := range []string{"get", "set", "push-pop"} {
			b.ReportMetric(contexts(get, set, push, pop, int32(kind), 100000), name+"-ns")
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
