// Package fakecuda builds a fake libcuda for tests: it has the real ABI, logs the calls,
// checks arguments as the driver does, and needs no GPU. It runs no kernel.
//
// Build compiles the library from src; Load opens it, to control it. Tests of other packages
// set CUDAGEN_LIBCUDA to the path that Build returns.
package fakecuda

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
)

//go:embed src
var sources embed.FS

// Options configure the fake driver. The zero value is a complete driver for CUDA 13.0.
type Options struct {
	// Version is the CUDA version, 1000*major + 10*minor. The driver lacks the entry
	// points that came later. 0 means 13000.
	Version int
	// Without lists further symbols that the driver lacks, as "cuMemsetD8Async".
	Without []string
	// DemandsContext makes calls require a current context that do not need it with
	// driver 580.
	DemandsContext bool
	// NewPTX makes the compiler in the driver take PTX that is newer than the driver, up to 9.9:
	// tests whose kernels are newer can be run on it.
	NewPTX bool
	// Arm64 builds for linux/arm64, whatever this machine is.
	Arm64 bool
}

// Build returns the path of a fake libcuda.so.1 in a temporary folder of the test. Each
// loaded library has its own state. The compiler runs once for a process and options,
// whatever is in Without. Without a C compiler the test is skipped, through testenv. Any
// goroutine may call it.
func Build(t testing.TB, o Options) string {
	t.Helper()
	cc := testenv.CCPath
	if o.Arm64 {
		cc = testenv.CCArm64Path
	}
	image := testenv.CompileC(t, cc(t), o.arguments(), sources, "src/libcuda.c")
	for _, symbol := range o.Without {
		image = without(t, image, symbol)
	}
	library := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(library, image, 0o700); err != nil {
		t.Fatalf("fakecuda: %v", err)
	}
	return library
}

// without returns the library image with another name for symbol, which the dynamic
// linker then does not find.
func without(t testing.TB, image []byte, symbol string) []byte {
	name := "\x00" + symbol + "\x00"
	if !bytes.Contains(image, []byte(name)) {
		t.Fatalf("fakecuda: there is no %s to leave out", symbol)
	}
	return bytes.ReplaceAll(image, []byte(name), []byte("\x00-"+name[2:]))
}

// arguments returns the compiler's arguments for o.
func (o Options) arguments() []string {
	version := o.Version
	if version == 0 {
		version = 13000
	}
	args := strings.Fields("-std=gnu11 -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer -fPIC -shared -pthread")
	args = append(args, fmt.Sprintf("-DFAKE_VERSION=%d", version))
	if o.DemandsContext {
		args = append(args, "-DFAKE_DEMANDS_CONTEXT=1")
	}
	if o.NewPTX {
		args = append(args, "-DFAKE_NEW_PTX=1")
	}
	return args
}
