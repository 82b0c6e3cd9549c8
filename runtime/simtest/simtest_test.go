package simtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/leak"
	"github.com/cudagen/cudagen/runtime/internal/watched"
)

// A recorder is the testing.TB of a test that New is to fail.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
	logged   []string
	failed   bool
}

func (r *recorder) Helper()          {}
func (r *recorder) Failed() bool     { return r.failed }
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// end runs the cleanups, as at the end of a test.
func (r *recorder) end() {
	for i := len(r.cleanups); i > 0; i-- {
		r.cleanups[i-1]()
	}
}

// A rig is what a test of kernels has.
type rig struct {
	dev *cuda.Device
	k   *example.Kernels
	s   *cuda.Stream
	x   *cuda.Buffer[int32]
}

func newRig(t *testing.T, dev *cuda.Device) rig {
	t.Helper()
	k, err := example.LoadKernels(dev)
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	x, err := cuda.Upload(s, make([]int32, 100))
	require.NoError(t, err)
	return rig{dev, k, s, x}
}

func (r rig) close() {
	r.x.Close()
	r.k.Close()
	r.s.Close()
}

// malloc takes 32 bytes for each thread.
const malloc = ".reg .b64 %rd1; .param .b64 n; .param .b64 q; st.param.b64 [n], 32; call (q), malloc, (n);"

// image is PTX text as generated code has it.
func image(text string) cuda.Image {
	sum := sha256.Sum256([]byte(text))
	return cuda.Image{Name: "k.ptx", Data: text, SHA256: hex.EncodeToString(sum[:])}
}

// trap launches a kernel that fails, and endless one that does not end.
func (r rig) trap(t *testing.T)    { r.launch(t, "trap;", 1) }
func (r rig) endless(t *testing.T) { r.launch(t, "L: bra L;", 1) }

// race launches a kernel whose second warp overwrites what its first has written.
func (r rig) race(t *testing.T) {
	r.launch(t, ".shared .b32 s; .reg .b32 %r1; mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; st.shared.u32 [s], %r1; ret;", 64)
}

// undefined launches a kernel that branches by a register that nobody has written.
func (r rig) undefined(t *testing.T) {
	r.launch(t, ".reg .pred %p; .reg .b32 %r1; setp.eq.u32 %p, %r1, 1; @%p bra E; E: ret;", 64)
}

// globalRace launches a kernel whose second warp overwrites what its first has written in global memory.
func (r rig) globalRace(t *testing.T) {
	r.launch(t, ".reg .b32 %r1; mov.u32 %r1, %tid.x; st.global.u8 [hello], %r1; ret;", 2)
}

func (r rig) launch(t *testing.T, body string, threads uint32) {
	t.Helper()
	text := ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { " + body + " }\n" +
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.global .b8 hello[7] = {104, 101, 108, 108, 111, 10};"
	sum := sha256.Sum256([]byte(text))
	lib, err := r.dev.LoadLibrary(cuda.Image{Name: "k.ptx", Data: text, SHA256: hex.EncodeToString(sum[:])})
	require.NoError(t, err)
	k, err := lib.Kernel(cuda.Spec{Name: "demo::k", Symbol: "k"})
	require.NoError(t, err)
	require.NoError(t, cuda.Generated.Launch(k, r.s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(threads)}, false, nil))
	require.NoError(t, lib.Close())
}

func TestNew(t *testing.T) {
	_, thisFile, _, _ := runtime.Caller(0)
	here := filepath.Base(thisFile) + ":"
	for _, test := range []struct {
		name    string
		test    func(t *testing.T, r rig)
		options []Option
		want    [][]string // one a failure: what it says
	}{
		{"all is closed", func(t *testing.T, r rig) { r.close() }, nil, nil},
		{"the device is closed", func(t *testing.T, r rig) { require.NoError(t, r.dev.Close()) }, nil, nil},
		{"all is open", func(t *testing.T, r rig) {}, nil, [][]string{
			{"simtest: not closed: a library of kernels.ptx on device 0 (cudagen simulated device), opened by\n", "simtest.newRig\n", here},
			{"simtest: not closed: a stream on device 0", "simtest.newRig\n", here},
			{"simtest: not closed: a buffer of 400 bytes of device memory on device 0", "simtest.newRig\n", here},
		}},
		{"an event", func(t *testing.T, r rig) {
			r.close()
			_, err := r.dev.NewEvent(cuda.EventConfig{})
			require.NoError(t, err)
		}, nil, [][]string{{"simtest: not closed: an event on device 0", here}}},
		{"a fault that the test saw", func(t *testing.T, r rig) {
			r.trap(t)
			assert.ErrorIs(t, r.s.Synchronize(), cuda.ErrLaunchFailed)
		}, nil, [][]string{{"simtest: ", "demo::k: PTX line 4: trap: trap [block (0,0,0), thread (0,0,0), warp 0, lane 0]"}}},
		{"a fault that nobody saw", func(t *testing.T, r rig) {
			r.trap(t)
			r.close()
		}, nil, [][]string{{"demo::k: PTX line 4: trap"}}},
		{"a fault after which the device was closed", func(t *testing.T, r rig) {
			r.trap(t)
			r.dev.Close()
		}, nil, [][]string{{"demo::k: PTX line 4: trap"}}},
		{"a fault that is allowed", func(t *testing.T, r rig) { r.trap(t) }, []Option{AllowFault()}, nil},
		{"a race in shared memory", func(t *testing.T, r rig) {
			r.race(t)
			r.close()
		}, nil, [][]string{{"demo::k: PTX line 4: st.shared.u32 [s], %r1: race: writes shared address 0x0, which thread ("}}},
		{"a race in one kernel, twice, behind which the device goes on", func(t *testing.T, r rig) {
			r.race(t)
			r.race(t)
			require.NoError(t, r.k.AddDelta.Launch(r.s, r.x.All(), 3))
			got, err := r.x.All().Download(r.s)
			require.NoError(t, err)
			assert.Equal(t, int32(3), got[99])
			r.close()
			require.NoError(t, r.dev.Close())
		}, nil, [][]string{{"simtest: on device 0 (cudagen simulated device): demo::k: PTX line 4: st.shared.u32 [s], %r1: race: ", "lane 0]\n\tfound 2 times at this place\n\tcheck: racecheck"}}},
		{"two races", func(t *testing.T, r rig) {
			r.race(t)
			r.launch(t, ".shared .b32 s;\n.reg .b32 %r1; mov.u32 %r1, %tid.x; st.shared.u32 [s], %r1; ret;", 64)
			r.close()
		}, nil, [][]string{{"PTX line 4: st.shared.u32 [s], %r1: race: "}, {"PTX line 5: st.shared.u32 [s], %r1: race: "}}},
		{"a race at which the device stops", func(t *testing.T, r rig) {
			r.race(t)
			assert.ErrorIs(t, r.s.Synchronize(), cuda.ErrDeviceLost)
			r.close()
		}, []Option{StopAtReport()}, [][]string{{"demo::k: PTX line 4: st.shared.u32 [s], %r1: race: ", "CUDA_ERROR_LAUNCH_FAILED"}}},
		{"a race at which the device stops, which the test looks at", func(t *testing.T, r rig) {
			r.race(t)
			var fault *cuda.Fault
			require.ErrorAs(t, r.s.Synchronize(), &fault)
			assert.Equal(t, "racecheck", fault.Check)
			r.close()
		}, []Option{StopAtReport(), AllowFault()}, nil},
		{"what the host reads, at which the device stops", func(t *testing.T, r rig) {
			x, err := cuda.Alloc[int32](r.s, 10)
			require.NoError(t, err)
			defer x.Close()
			defer r.close()
			assert.ErrorContains(t, x.CopyTo(r.s, make([]int32, 10)), "the host reads 40 undefined bytes of 40")
		}, []Option{StopAtReport()}, [][]string{{"the host reads 40 undefined bytes of 40"}}},
		{"a race before a fault that is allowed", func(t *testing.T, r rig) {
			r.race(t)
			r.trap(t)
		}, []Option{AllowFault()}, [][]string{{"race: "}}},
		{"a race in the kernel whose fault is allowed", func(t *testing.T, r rig) {
			r.launch(t, ".shared .b32 s; .reg .b32 %r1; mov.u32 %r1, %tid.x; st.shared.u32 [s], %r1; trap;", 64)
			var fault *cuda.Fault
			require.ErrorAs(t, r.s.Synchronize(), &fault)
			require.Len(t, fault.Others, 1)
			assert.Contains(t, fault.Others[0].Reason, "race: ")
		}, []Option{AllowFault()}, nil},
		{"a race in global memory", func(t *testing.T, r rig) {
			r.globalRace(t)
			r.close()
		}, []Option{GlobalRaces()}, [][]string{{"race: writes global address 0x", " (offset 0 of 7, of variable hello), which thread (0,0,0) of the same warp wrote at PTX line 4", "let one thread do that", "\tcheck: racecheck"}}},
		{"a race in global memory that is not looked for", func(t *testing.T, r rig) {
			r.globalRace(t)
			r.close()
		}, nil, nil},
		{"a race that is allowed", func(t *testing.T, r rig) {
			r.race(t)
			r.close()
		}, []Option{AllowRaces()}, nil},
		{"threads that exit before a barrier", func(t *testing.T, r rig) {
			r.launch(t, ".reg .pred %p; .reg .b32 %r1; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 3; @%p exit; bar.sync 0; ret;", 64)
			r.close()
		}, nil, [][]string{{"bar.sync 0: 1 of 64 threads, this one first, have exited before the barrier", "thread (3,0,0)"}}},
		{"threads that exit before a barrier and may", func(t *testing.T, r rig) {
			r.launch(t, ".reg .pred %p; .reg .b32 %r1; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 3; @%p exit; bar.sync 0; ret;", 64)
			r.close()
		}, []Option{AllowExited()}, nil},
		{"malloc without free", func(t *testing.T, r rig) {
			r.launch(t, malloc+"ret;", 2)
			require.NoError(t, r.s.Synchronize())
			r.close()
		}, nil, [][]string{{"kernels did not free 64 bytes that they took with malloc at PTX line 4 (allocations: 2)"}}},
		{"malloc and free", func(t *testing.T, r rig) {
			r.launch(t, malloc+"call free, (q); ret;", 2)
			require.NoError(t, r.s.Synchronize())
			r.close()
		}, nil, nil},
		{"an undefined value", func(t *testing.T, r rig) {
			r.undefined(t)
			r.close()
		}, nil, [][]string{{"demo::k: PTX line 4: @%p bra E: an undefined value decides whether the thread branches: "}}},
		{"two of them", func(t *testing.T, r rig) {
			r.launch(t, ".reg .pred %p; .reg .b32 %r1;\n setp.eq.u32 %p, %r1, 1; @%p bra E;\nE: setp.eq.u32 %p, %r1, 2; @%p bra F;\nF: ret;", 64)
			r.close()
		}, nil, [][]string{{"PTX line 5: @%p bra E"}, {"PTX line 6: @%p bra F"}}},
		{"an undefined value that is allowed", func(t *testing.T, r rig) {
			r.undefined(t)
			r.close()
		}, []Option{AllowUninitialized()}, nil},
		{"what nobody has written is read", func(t *testing.T, r rig) {
			x, err := cuda.Alloc[int32](r.s, 10)
			require.NoError(t, err)
			defer x.Close()
			defer r.close()
			require.NoError(t, cuda.Copy(x.All().Slice(0, 7), r.x.All().Slice(0, 7)).Launch(r.s))
			require.NoError(t, x.All().Slice(0, 7).CopyTo(r.s, make([]int32, 7)))
			require.NoError(t, x.CopyTo(r.s, make([]int32, 10)))
		}, nil, [][]string{{"the host reads 12 undefined bytes of 40, the first at offset 28 of an allocation of 40 bytes (element 7), allocated at ", here, ": nothing has written them"}}},
		{"a kernel that does not end", func(t *testing.T, r rig) { r.endless(t) }, nil, [][]string{{"demo::k: PTX line 4: bra L: "}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tb := &recorder{TB: t}
			test.test(t, newRig(t, New(tb, test.options...)))
			assert.Empty(t, tb.errors)
			tb.end()
			require.Len(t, tb.errors, len(test.want), "%v", tb.errors)
			for i, want := range test.want {
				for _, text := range want {
					assert.Contains(t, tb.errors[i], text)
				}
			}
		})
	}
	t.Run("more places than are shown", func(t *testing.T) {
		tb := &recorder{TB: t}
		r := newRig(t, New(tb))
		body := ".reg .pred %p; .reg .b32 %r1;\n"
		for n := range 130 {
			body += fmt.Sprintf("setp.eq.u32 %%p, %%r1, 1; @%%p bra E%d;\nE%d:\n", n, n)
		}
		for range 2 {
			r.launch(t, body+"ret;", 64)
		}
		r.close()
		tb.end()
		require.Len(t, tb.errors, 101)
		assert.Contains(t, tb.errors[99], "@%p bra E99: ")
		assert.Equal(t, "simtest: checks have found something at more places, which are not shown: 30", tb.errors[100])
	})
	t.Run("the device is closed, with all that it has", func(t *testing.T) {
		tb := &recorder{TB: t}
		r := newRig(t, New(tb))
		_, err := r.dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		_, err = r.dev.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		require.NoError(t, r.dev.Close())
		tb.end()
		assert.Empty(t, tb.errors)
	})
	t.Run("a test that has failed", func(t *testing.T) {
		tb := &recorder{TB: t, failed: true}
		newRig(t, New(tb))
		tb.end()
		assert.Empty(t, tb.errors, "what is open is not the news")
	})
}

func TestOutput(t *testing.T) {
	const say = `.reg .b64 %rd1; mov.u64 %rd1, hello; cvta.global.u64 %rd1, %rd1;
{ .param .b64 a, b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], 0; call (r), vprintf, (a, b); } ret;`
	tb := &recorder{TB: t}
	var out bytes.Buffer
	rig1, rig2 := newRig(t, New(tb)), newRig(t, New(tb, Output(&out)))
	for _, r := range []rig{rig1, rig2} {
		r.launch(t, say, 1)
		require.NoError(t, r.s.Synchronize())
		r.close()
	}
	tb.end()
	assert.Empty(t, tb.errors)
	assert.Equal(t, []string{"printf of a kernel:\nhello\n"}, tb.logged)
	assert.Equal(t, "hello\n", out.String())
}

// What the order of warps decides is seen under one seed or another: the warp that comes last leaves
// its number.
func TestSweep(t *testing.T) {
	const text = `.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .b32 last;
.visible .entry k() { .reg .b32 %r1; mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; st.volatile.global.u32 [last], %r1; ret; }`
	sum := sha256.Sum256([]byte(text))
	found := make(map[int32]bool)
	Sweep(t, 8, func(t *testing.T, dev *cuda.Device) {
		defer dev.Close()
		s, err := dev.NewStream()
		require.NoError(t, err)
		lib, err := dev.LoadLibrary(cuda.Image{Name: "k.ptx", Data: text, SHA256: hex.EncodeToString(sum[:])})
		require.NoError(t, err)
		k, err := lib.Kernel(cuda.Spec{Name: "k", Symbol: "k"})
		require.NoError(t, err)
		require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(128)}, false, nil))
		last, err := cuda.LoadSymbol[int32](lib, "last", "last")
		require.NoError(t, err)
		number, err := last.Get(s)
		require.NoError(t, err)
		found[number] = true
	})
	assert.Greater(t, len(found), 1)
}

func TestNewDevices(t *testing.T) {
	tb := &recorder{TB: t}
	devices := NewDevices(tb, 2)
	require.Len(t, devices, 2)
	a, b := newRig(t, devices[0]), newRig(t, devices[1])
	assert.Equal(t, 1, devices[1].Ordinal())
	require.NoError(t, a.k.AddDelta.Launch(a.s, a.x.All(), 3))
	require.NoError(t, a.s.Synchronize())
	require.NoError(t, cuda.Copy(b.x.All(), a.x.All()).Launch(b.s))
	got := make([]int32, 100)
	require.NoError(t, b.x.CopyTo(b.s, got))
	assert.Equal(t, int32(3), got[99])
	a.close()
	tb.end()
	require.Len(t, tb.errors, 3)
	for _, text := range tb.errors {
		assert.Contains(t, text, " on device 1 (cudagen simulated device), opened by\n")
	}
}

// openStream opens what is to be closed.
func openStream() *leak.Record { return opened() }

func opened() *leak.Record { return (*leak.Scope)(nil).Opened("a stream on device 0") }

func TestMainFailsOnLeaks(t *testing.T) {
	var left *leak.Record
	_, thisFile, _, _ := runtime.Caller(0)
	for _, test := range []struct {
		name  string
		tests func() int
		code  int
		said  []string
	}{
		{"all is closed", func() int { openStream().Closed(); return 0 }, 0, nil},
		{"tests fail", func() int { return 2 }, 2, nil},
		{"something is open", func() int { left = openStream(); return 0 }, 1,
			[]string{"cuda: leak: not closed: a stream on device 0, opened by\n", "simtest.openStream\n", filepath.Base(thisFile) + ":"}},
		{"the tests' own failure comes first", func() int { return 3 }, 3, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			assert.Equal(t, test.code, run(test.tests, &stderr))
			if test.said == nil {
				assert.Empty(t, stderr.String())
			}
			for _, said := range test.said {
				assert.Contains(t, stderr.String(), said)
			}
		})
	}
	assert.True(t, left.Closed())
	assert.False(t, left.Closed())
	assert.Empty(t, leak.Open())
}

// TestMisuse: what makes no sense fails the test, and does not panic.
func TestMisuse(t *testing.T) {
	for want, f := range map[string]func(t testing.TB){
		"simtest: -1 devices: the number must not be negative":                                                           func(t testing.TB) { NewDevices(t, -1) },
		"simtest: there is no simulated device of compute capability 7.5: want one of 9.0, 10.0, 10.3, 11.0, 12.0, 12.1": func(t testing.TB) { New(t, Capability(7, 5)) },
		"simtest: option 1 is nil": func(t testing.TB) { New(t, AllowFault(), nil) },
	} {
		r := &fatal{recorder: recorder{TB: t}}
		assert.PanicsWithValue(t, want, func() { f(r) })
	}
	assert.Empty(t, NewDevices(t, 0))
}

// A fatal test panics where a test would end.
type fatal struct{ recorder }

func (f *fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// TestCapability: a device of a later architecture loads its images, and the device as it is does not.
func TestCapability(t *testing.T) {
	const text = ".version 9.0\n.target sm_120\n.address_size 64\n.visible .entry k() { .reg .b64 %l<3>; mov.b64 %l1, 0; add.rn.f32x2 %l2, %l1, %l1; ret; }"
	dev := New(t, Capability(12, 0))
	major, minor, err := dev.ComputeCapability()
	require.NoError(t, err)
	assert.Equal(t, []int{12, 0}, []int{major, minor})
	lib, err := dev.LoadLibrary(image(text))
	require.NoError(t, err)
	k, err := lib.Kernel(cuda.Spec{Name: "k", Symbol: "k"})
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, false, nil))
	require.NoError(t, s.Synchronize())
	require.NoError(t, dev.Close())

	own := New(t)
	_, err = own.LoadLibrary(image(text))
	assert.ErrorContains(t, err, "give a test a device by simtest.Capability(12, 0)")

	for _, wrong := range [][2]int{{7, 5}, {9, 10}, {0, 0}, {12, -1}} {
		c := config{}
		Capability(wrong[0], wrong[1])(&c)
		assert.NotContains(t, watched.Capabilities(), c.capability, "%v", wrong)
	}
}

// On a device whose context is done from the beginning no kernel runs.
func TestContextThatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, done := range []bool{false, true} {
		if done {
			cancel()
		}
		dev := New(t, Context(ctx), AllowFault())
		s, err := dev.NewStream()
		require.NoError(t, err)
		kernels, err := example.LoadKernels(dev)
		require.NoError(t, err)
		x, err := cuda.Upload(s, []float32{1, 2})
		require.NoError(t, err)
		err = errors.Join(kernels.Saxpy.Launch(s, 1, x.All(), x.All()), s.Synchronize())
		assert.Equal(t, done, err != nil, "%v", err)
		_ = errors.Join(x.Close(), kernels.Close(), s.Close()) // which tell of the fault, too
	}
}
