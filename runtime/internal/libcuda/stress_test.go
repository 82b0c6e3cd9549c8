//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The stress runs in a process of its own: the test binary, started again with these
// in its environment.
const (
	stressEnv  = "LIBCUDA_TEST_STRESS"  // which stress to run
	libraryEnv = "LIBCUDA_TEST_LIBRARY" // the fake libcuda
	// wrapperEnv is the command that runs programs for the machine under test.
	wrapperEnv = "LIBCUDA_TEST_WRAPPER"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(stressEnv); name != "" {
		os.Exit(stress(name, os.Getenv(libraryEnv)))
	}
	os.Exit(m.Run())
}

// stresses names what is stressed: a round makes garbage of what is not referenced,
// calls the driver, and returns what should have arrived and what has.
var stresses = map[string]func(d *device, k driver.Kernel, s driver.Stream, seed int) (want, got []byte){
	"launch":  stressLaunch,
	"batch":   stressBatch,
	"uintptr": stressHiddenLaunch,
	"copy":    stressCopy,
}

var stressParams = []param{{8, 8}, {4, 4}, {32, 32}, {1, 1}, {48, 16}}

// TestGarbageCollection has the driver read Go memory late, while the collector runs
// all the time and overwrites what it frees.
func TestGarbageCollection(t *testing.T) {
	tests := []struct {
		name  string
		wrong bool
	}{
		{"launch", false},
		{"batch", false},
		{"copy", false},
		{"uintptr", true}, // the control: a record that refers to its block by a number
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			self, err := os.Executable()
			require.NoError(t, err)
			args := append(strings.Fields(os.Getenv(wrapperEnv)), self)
			command := exec.Command(args[0], args[1:]...)
			command.Env = append(os.Environ(),
				"GOGC=1", "GODEBUG=clobberfree=1",
				stressEnv+"="+tt.name, libraryEnv+"="+fakecuda.Build(t, fakecuda.Options{}))
			out, err := command.CombinedOutput()
			if tt.wrong && (bytes.Contains(out, []byte("DATA RACE")) || bytes.Contains(out, []byte("fatal error:"))) {
				return // the race detector or the runtime was faster
			}
			require.NoError(t, err, "%s", out)
			var wrong, rounds int
			_, err = fmt.Sscanf(string(out), "%d wrong of %d", &wrong, &rounds)
			require.NoError(t, err, "%s", out)
			if tt.wrong {
				assert.Greater(t, wrong, rounds/2, "the check sees memory that was freed")
			} else {
				assert.Zero(t, wrong, "of %d", rounds)
			}
		})
	}
}

// stress runs rounds of the stress name from several goroutines, and prints how many
// of them went wrong.
func stress(name, library string) (exitCode int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Println(p)
			exitCode = 1
		}
	}()
	d := &device{Driver: must(open(library)), fake: must(fakecuda.LoadFile(library))}
	check(d.Init())
	var r driver.Result
	d.ctx, r = d.DevicePrimaryCtxRetain(0)
	check(r)
	lib, r := d.LibraryLoadData(ptx(stressParams))
	check(r)
	kernel, r := d.LibraryGetKernel(lib, "k0")
	check(r)
	d.fake.Slow(time.Millisecond)

	const goroutines, rounds = 3, 20
	var wrong [goroutines]int
	var streams [goroutines]driver.Stream
	runtime.LockOSThread()
	check(d.CtxPushCurrent(d.ctx))
	for i := range streams {
		streams[i], r = d.StreamCreate(1)
		check(r)
	}
	_, r = d.CtxPopCurrent()
	check(r)
	runtime.UnlockOSThread()

	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				want, got := stresses[name](d, kernel, streams[g], g*rounds+i)
				if !bytes.Equal(want, got) {
					wrong[g]++
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range wrong {
		sum += n
	}
	fmt.Printf("%d wrong of %d\n", sum, goroutines*rounds)
	return 0
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(r driver.Result) {
	if r != driver.Success {
		panic(r.String())
	}
}

// makeGarbage has the collector free what is not referenced, and fills the heap anew.
func makeGarbage() {
	runtime.GC()
	for i := range 100 {
		_ = bytes.Clone(pattern(i, 160))
	}
}

// stressRecord returns a launch whose block and offsets lie in the heap, where nothing
// but the record refers to them.
//
//go:noinline
func stressRecord(d *device, k driver.Kernel, s driver.Stream, seed int) *LaunchRecord {
	offsets, size := layout(stressParams)
	r := d.record(k, pattern(seed, size), offsets)
	r.Stream = s
	return r
}

// launched returns the arguments of the last launch on s.
func launched(d *device, s driver.Stream) (arguments []byte) {
	for _, l := range d.fake.Launches() {
		if driver.Stream(l.Stream) == s {
			arguments = l.Arguments
		}
	}
	return arguments
}

func stressLaunch(d *device, k driver.Kernel, s driver.Stream, seed int) (want, got []byte) {
	r := stressRecord(d, k, s, seed)
	makeGarbage()
	check(d.launch(r))
	_, size := layout(stressParams)
	return arguments(pattern(seed, size), stressParams), launched(d, s)
}

// stressBatch launches twice, with attributes the second time; all but the batch itself
// lies in the heap.
func stressBatch(d *device, k driver.Kernel, s driver.Stream, seed int) (want, got []byte) {
	plain, attributed := stressRecord(d, k, s, seed+1), stressRecord(d, k, s, seed)
	list := Attributes(driver.LaunchAttributes{Cooperative: true, HasPriority: true, Priority: int32(-seed)})
	attributed.Attributes = &list
	plain.Target.Entry = entryOf(d.entry(driver.LaunchKernel))
	attributed.Target.Entry = attributedEntryOf(d.entry(driver.LaunchKernelEx))
	records := []BatchRecord{batchRecord(plain), batchRecord(attributed)}
	makeGarbage()
	check(launchBatch(&Batch{Records: &records[0], Count: 2}))
	_, size := layout(stressParams)
	return arguments(pattern(seed, size), stressParams), launched(d, s)
}

// A hiddenRecord is a LaunchRecord whose block the collector does not see.
type hiddenRecord struct {
	Target *Target
	Stream driver.Stream
	Params uintptr
	Config *LaunchConfig
	_      *AttributeList
}

//go:noinline
func hide(r *LaunchRecord) *hiddenRecord {
	return &hiddenRecord{
		r.Target, r.Stream, uintptr(r.Params), r.Config, nil,
	}
}

func stressHiddenLaunch(d *device, k driver.Kernel, s driver.Stream, seed int) (want, got []byte) {
	r := hide(stressRecord(d, k, s, seed))
	makeGarbage()
	check(d.launch((*LaunchRecord)(unsafe.Pointer(r))))
	_, size := layout(stressParams)
	return arguments(pattern(seed, size), stressParams), launched(d, s)
}

// stressCopy copies to and from memory that only the call refers to.
func stressCopy(d *device, _ driver.Kernel, s driver.Stream, seed int) (want, got []byte) {
	const size = 160
	p, r := d.MemAllocAsync(size, s)
	check(r)
	check(d.MemcpyHtoDAsync(p, unsafe.Pointer(unsafe.SliceData(pattern(seed, size))), size, s))
	received := make([]byte, size)
	check(d.MemcpyDtoHAsync(unsafe.Pointer(&received[0]), p, size, s))
	check(d.MemFreeAsync(p, s))
	return pattern(seed, size), received
}
