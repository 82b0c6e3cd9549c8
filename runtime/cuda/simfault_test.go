package cuda_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A problematic kernel: fine does nothing, endless does not end, forever loops in its thread
// 40 alone, and strange has an instruction that no device has.
const problematic = `.version 8.0
.target sm_75
.address_size 64
.file 1 "src/problems.cu"
.visible .entry fine() { ret; }
.visible .entry endless() {
	.reg .b32 %r<3>; .reg .pred %p<2>;
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 40;
	@%p1 ret;
	.loc 1 7 2
L:	bra L;
}
.visible .entry strange() {
	.loc 1 12 2
	frobnicate.v2;
	ret;
}
`

// loadText loads kernels without parameters of PTX text.
func loadText(t testing.TB, dev *cuda.Device, text string, names ...string) []*cuda.Kernel {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	lib, err := dev.LoadLibrary(cuda.Image{Name: "problems.ptx", Data: text, SHA256: hex.EncodeToString(sum[:])})
	require.NoError(t, err)
	var kernels []*cuda.Kernel
	for _, name := range names {
		k, err := lib.Kernel(cuda.Spec{Name: "demo::" + name, Symbol: name})
		require.NoError(t, err)
		kernels = append(kernels, k)
	}
	return kernels
}

func launchOn(k *cuda.Kernel, s *cuda.Stream, blocks, threads uint32) error {
	return cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(blocks), Block: cuda.Dim(threads)}, false, nil)
}

// TestFault: what every call returns after a kernel's fault wraps all that is known of it.
func TestFault(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	k, s, x, first := faulted(dev)
	want := cuda.Fault{
		Code: cuda.ErrIllegalAddress, Device: "device 0 (cudagen simulated device)", Kernel: "add_delta", File: "../../example/kernels.cu",
		Thread: cuda.Dim3{X: 100}, Warp: 3, Lane: 4, Address: x.Ptr().Address() + 400,
	}
	for name, err := range map[string]error{
		"Stream.Synchronize": first, "Stream.Wait": s.Wait(context.Background()), "Device.Synchronize": dev.Synchronize(),
		"Launch": k.AddDelta.Launch(s, x.All(), 1), "CopyTo": x.CopyTo(s, make([]int32, 100)), "CopyFrom": x.CopyFrom(s, make([]int32, 100)),
	} {
		t.Run(name, func(t *testing.T) {
			var fault *cuda.Fault
			require.ErrorAs(t, err, &fault)
			got := *fault
			assert.Positive(t, got.Line)
			assert.Positive(t, got.PTXLine)
			assert.Contains(t, got.Instruction, ".global.")
			assert.Contains(t, got.Reason, "is out of bounds: 4 bytes at offset 400 of 400")
			got.Line, got.PTXLine, got.Instruction, got.Reason = 0, 0, "", ""
			assert.Equal(t, want, got)
			assert.ErrorIs(t, err, cuda.ErrIllegalAddress)
			assert.Equal(t, 1, strings.Count(err.Error(), "PTX line"), "%v", err)
			assert.Regexp(t, `: add_delta: PTX line \d+ \(../../example/kernels.cu:\d+\): \S+.*: global address 0x[0-9a-f]+ is out of bounds: .* `+
				`\[block \(0,0,0\), thread \(100,0,0\), warp 3, lane 4\]: CUDA_ERROR_ILLEGAL_ADDRESS`, err.Error())
		})
	}
	assert.NoError(t, dev.Close(), "the fault is known")
}

// TestFaultEndsOtherKernels: calls that wait for a kernel of another stream, which does not end, return with the fault.
func TestFaultEndsOtherKernels(t *testing.T) {
	for name, call := range map[string]func(dev *cuda.Device, s *cuda.Stream, e *cuda.Event, x *cuda.Buffer[int32]) error{
		"Stream.Synchronize": func(_ *cuda.Device, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[int32]) error {
			return s.Synchronize()
		},
		"Stream.Wait": func(_ *cuda.Device, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[int32]) error {
			return s.Wait(t.Context())
		},
		"Device.Synchronize": func(dev *cuda.Device, _ *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[int32]) error {
			return dev.Synchronize()
		},
		"Device.Wait": func(dev *cuda.Device, _ *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[int32]) error {
			return dev.Wait(t.Context())
		},
		"Event.Synchronize": func(_ *cuda.Device, _ *cuda.Stream, e *cuda.Event, _ *cuda.Buffer[int32]) error {
			return e.Synchronize()
		},
		"Download": func(_ *cuda.Device, s *cuda.Stream, _ *cuda.Event, x *cuda.Buffer[int32]) error {
			_, err := x.All().Download(s)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev, err := cuda.OpenSimulator()
			require.NoError(t, err)
			kernels := loadText(t, dev, problematic+".visible .entry trapped() { trap; }\n", "endless", "trapped")
			busy, err := dev.NewStream()
			require.NoError(t, err)
			other, err := dev.NewStream()
			require.NoError(t, err)
			x, err := cuda.Upload(busy, []int32{1, 2})
			require.NoError(t, err)
			e, err := dev.NewEvent(cuda.EventConfig{})
			require.NoError(t, err)
			require.NoError(t, errors.Join(launchOn(kernels[0], busy, 1, 64), e.Record(busy)))
			waited := make(chan error, 1)
			go func() { waited <- call(dev, busy, e, x) }()
			time.Sleep(20 * time.Millisecond) // it waits by then, as a rule
			require.NoError(t, launchOn(kernels[1], other, 1, 1))
			select {
			case err := <-waited:
				assert.ErrorIs(t, err, cuda.ErrDeviceLost)
				assert.ErrorContains(t, err, "trapped")
			case <-time.After(20 * time.Second):
				assert.Fail(t, "it waits for the other kernel")
			}
			assert.NoError(t, dev.Close())
		})
	}
}

// TestCloseReportsAFault: nobody has waited for the work.
func TestCloseReportsAFault(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	k := loadText(t, dev, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { trap; }", "k")
	require.NoError(t, launchOn(k[0], s, 1, 32))
	err = dev.Close()
	assert.ErrorContains(t, err, "cuda: close on device 0 (cudagen simulated device): demo::k: PTX line 4: trap: trap [block (0,0,0)")
	var fault *cuda.Fault
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, cuda.ErrLaunchFailed, fault.Code)
	assert.NoError(t, dev.Close(), "a second time")
}

// TestUnsupportedKernel: an instruction that the simulated device lacks is an error of the
// launch of its kernel, and of nothing else.
func TestUnsupportedKernel(t *testing.T) {
	dev := openSimulator(t)
	s, err := dev.NewStream()
	require.NoError(t, err)
	kernels := loadText(t, dev, problematic, "fine", "strange")
	const what = "the simulated device does not support instruction frobnicate.v2 at src/problems.cu:12 (PTX line 16)"
	_, attributes := kernels[1].Attributes()
	_, occupancy := kernels[1].Occupancy(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)})
	_, suggested := kernels[1].ConfigFor(100, 0)
	shared := cuda.Generated.Launch(kernels[1], s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32), SharedBytes: 60 << 10}, false, nil)
	for name, err := range map[string]error{
		"launch": launchOn(kernels[1], s, 1, 32), "launch with shared memory": shared,
		"attributes": attributes, "occupancy": occupancy, "configuration": suggested,
	} {
		assert.ErrorIs(t, err, cuda.ErrNotSupported, name)
		assert.ErrorContains(t, err, "demo::strange", name)
		assert.ErrorContains(t, err, what, name)
		assert.ErrorContains(t, err, "docs/simulator.md", name)
		assert.NotErrorAs(t, err, new(*cuda.Fault), name)
	}
	require.NoError(t, launchOn(kernels[0], s, 1, 32))
	assert.NoError(t, s.Synchronize())
}

// TestUnlinkedKernel: the error of a kernel that needs what another file defines says how that is linked.
func TestUnlinkedKernel(t *testing.T) {
	dev := openSimulator(t)
	s := newStream(t, dev)
	kernels := loadText(t, dev, `.version 8.0
.target sm_75
.address_size 64
.extern .func f;
.extern .global .u32 x;
.visible .entry calls() { call.uni f; ret; }
.visible .entry reads() { .reg .b32 %r<2>; ld.global.u32 %r1, [x]; ret; }
.visible .entry strange() { frobnicate; }
`, "calls", "reads", "strange")
	const hint = "link what another file defines (docs/linking.md)"
	assert.ErrorContains(t, launchOn(kernels[0], s, 1, 1), hint)
	assert.ErrorContains(t, launchOn(kernels[1], s, 1, 1), hint)
	assert.NotContains(t, launchOn(kernels[2], s, 1, 1).Error(), hint, "the control")
}

// TestCloseStopsAKernel: Close ends a kernel that does not end, whoever else waits for it.
func TestCloseStopsAKernel(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Parallel()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	kernels := loadText(t, dev, problematic, "endless", "fine")
	s, err := dev.NewStream()
	require.NoError(t, err)
	behind, err := dev.NewStream()
	require.NoError(t, err)
	e, err := dev.NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	require.NoError(t, launchOn(kernels[0], s, 3, 64))
	require.NoError(t, e.Record(s))
	require.NoError(t, behind.WaitEvent(e))
	require.NoError(t, launchOn(kernels[1], behind, 1, 1))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, s.Wait(ctx), context.DeadlineExceeded, "it is still running")

	calls := map[string]func() error{
		"synchronize": s.Synchronize, "wait": func() error { return s.Wait(context.Background()) },
		"synchronize the device": dev.Synchronize, "event": e.Synchronize, "behind it": behind.Synchronize,
		"close the stream": behind.Close, "close": dev.Close,
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	results := map[string]error{}
	for name, call := range calls {
		group.Go(func() {
			if name == "close" {
				time.Sleep(time.Second) // the others wait by then
			}
			err := call()
			mu.Lock()
			defer mu.Unlock()
			results[name] = err
		})
	}
	done := make(chan int)
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		mu.Lock()
		defer mu.Unlock()
		t.Fatalf("only these have returned: %v", results)
	}
	for name := range calls {
		err := results[name]
		if name == "behind it" && errors.Is(err, cuda.ErrClosed) { // by the other call
			continue
		}
		var fault *cuda.Fault
		if !assert.ErrorAs(t, err, &fault, name) {
			continue
		}
		assert.Equal(t, []any{cuda.ErrLaunchTimeout, "demo::endless", "src/problems.cu", 7, cuda.Dim3{X: 40}, 1, 8},
			[]any{fault.Code, fault.Kernel, fault.File, fault.Line, fault.Thread, fault.Warp, fault.Lane}, name)
		assert.ErrorContains(t, err, "stopped: the kernel did not end", name)
	}
}

// TestStreamCloseStopsAKernel: so does the Close of its stream, later.
func TestStreamCloseStopsAKernel(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Parallel()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	kernels := loadText(t, dev, problematic, "endless", "fine")
	s, err := dev.NewStream()
	require.NoError(t, err)
	require.NoError(t, launchOn(kernels[0], s, 3, 64))
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err = <-closed:
	case <-time.After(time.Minute):
		t.Fatal("Close has not returned")
	}
	var fault *cuda.Fault
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, []any{cuda.ErrLaunchTimeout, "demo::endless", 7}, []any{fault.Code, fault.Kernel, fault.Line})
	assert.NoError(t, dev.Close(), "the fault is known")
}
