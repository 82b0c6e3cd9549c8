// Package fakecuda is a libcuda for tests: it has the real ABI, keeps a log of the
// calls, checks arguments as the driver does, and needs no GPU. It runs no kernel.
//
// Build compiles it from src/libcuda.c; Load gives control over what
// was built. Tests of other packages set CUDAGEN_LIBCUDA to the path that Build
// returns.
package fakecuda

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
)

//go:embed src/libcuda.c
var source []byte

// Options say which driver to build. The zero value is a complete driver for CUDA 13.0.
type Options struct {
	// Version is the CUDA version, 1000*major + 10*minor. The driver lacks the entry
	// points that came later. 0 means 13000.
	Version int
	// Without lists further symbols that the driver lacks, as "cuMemsetD8Async".
	Without []string
	// DemandsContext makes calls need a current context that driver 580 takes without.
	DemandsContext bool
	// Arm64 builds for linux/arm64, whatever this machine is.
	Arm64 bool
}

// built holds what the compiler has made in this process, by command line.
var built struct {
	sync.Mutex
	libraries map[string][]byte
}

// Build returns the path of a fake libcuda.so.1, in a folder of its own that goes away
// with the test. Each has state of its own once it is loaded. The compiler runs once
// for a process and options. Without a C compiler the test is skipped, through
// testenv. Any goroutine may call it.
func Build(t testing.TB, o Options) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "libcuda.so.1")
	args := o.arguments()
	key := fmt.Sprint(o.Arm64, args)

	built.Lock()
	defer built.Unlock()
	if image, ok := built.libraries[key]; ok {
		write(t, library, image)
		return library
	}
	cc := testenv.CCPath
	if o.Arm64 {
		cc = testenv.CCArm64Path
	}
	input := filepath.Join(t.TempDir(), "libcuda.c")
	write(t, input, source)
	command := exec.Command(cc(t), append(args, "-o", library, input)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("fakecuda: %v: %v\n%s", command, err, out)
	}
	image, err := os.ReadFile(library)
	if err != nil {
		t.Fatalf("fakecuda: %v", err)
	}
	if built.libraries == nil {
		built.libraries = map[string][]byte{}
	}
	built.libraries[key] = image
	return library
}

// arguments returns the compiler's arguments that depend on o. An entry point is left
// out by giving its function another name.
func (o Options) arguments() []string {
	version := o.Version
	if version == 0 {
		version = 13000
	}
	args := strings.Fields("-std=gnu11 -O2 -Wall -Wextra -Werror -fno-omit-frame-pointer -fPIC -shared -pthread")
	args = append(args, fmt.Sprintf("-DFAKE_VERSION=%d", version))
	if o.DemandsContext {
		args = append(args, "-DFAKE_DEMANDS_CONTEXT=1")
	}
	for _, symbol := range o.Without {
		args = append(args, fmt.Sprintf("-D%s=fake_without_%[1]s", symbol))
	}
	return args
}

func write(t testing.TB, path string, content []byte) {
	if err := os.WriteFile(path, content, 0o700); err != nil {
		t.Fatalf("fakecuda: %v", err)
	}
}
