package cuda_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// attributed returns a launch configuration for saxpy over 1,024 elements.
func attributed(a cuda.LaunchAttributes) cuda.LaunchConfig {
	return cuda.LaunchConfig{Grid: cuda.Dim(16), Block: cuda.Dim(64), Attributes: &a}
}

func TestLaunchAttributes(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, ones(1000)), upload(t, s, ones(1000))
		want := float32(1)
		for _, a := range []cuda.LaunchAttributes{
			{}, {Cooperative: true}, {Cluster: cuda.Dim(2)}, {Cluster: cuda.Dim(16)}, {Programmatic: true}, {Priority: new(int32(-1))},
			{Cluster: cuda.Dim(4), Programmatic: true, Priority: new(int32(0))},
		} {
			require.NoError(t, k.Saxpy.LaunchWith(s, attributed(a), 1, x.All(), y.All()), "%+v", a)
			call, err := k.Saxpy.Prepare(attributed(a), example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
			require.NoError(t, err, "%+v", a)
			require.NoError(t, call.Launch(s), "%+v", a)
			require.NoError(t, call.Clone().Launch(s), "%+v", a)
			want += 5
		}
		wantSaxpy(t, s, y, want)
		require.NoError(t, k.Saxpy.Kernel.SetSharedCarveout(50))
		require.NoError(t, k.Saxpy.Kernel.SetSharedCarveout(-1))
		assert.ErrorContains(t, k.Saxpy.Kernel.SetSharedCarveout(101), "101 is not a percentage")
	})
}

// TestAttributesArrive compares what the driver was given.
func TestAttributesArrive(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, ones(1000)).All()
	library.Reset()
	a := cuda.LaunchAttributes{Cooperative: true, Cluster: cuda.Dim(2, 1, 1), Programmatic: true, Priority: new(int32(-3))}
	require.NoError(t, k.Saxpy.LaunchWith(s, attributed(a), 2, x, x))
	require.NoError(t, k.Saxpy.Launch(s, 2, x, x))
	launches := library.Launches()
	require.Len(t, launches, 2)
	got := launches[0]
	assert.Equal(t, []any{4, [3]uint32{2, 1, 1}, true, true, true, int32(-3)}, []any{got.Attributes, got.Cluster, got.Cooperative, got.Programmatic, got.HasPriority, got.Priority})
	assert.Equal(t, launches[1].Arguments, got.Arguments)
	assert.Zero(t, launches[1].Attributes)
	assert.Equal(t, 1, count(library.Calls(), "cuLaunchKernelEx"), "a plain launch goes to cuLaunchKernel")
}

func TestAttributesAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, ones(1000)).All()
		occupancy, err := k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{Block: cuda.Dim(1024)})
		require.NoError(t, err)
		tooMany := uint32(occupancy.Blocks + 1)
		for _, test := range []struct {
			name string
			cfg  cuda.LaunchConfig
			want string
		}{
			{"cooperative grid", cuda.LaunchConfig{Grid: cuda.Dim(tooMany), Block: cuda.Dim(1024), Attributes: &cuda.LaunchAttributes{Cooperative: true}},
				fmt.Sprintf("the grid has %d blocks, limit %d: all blocks of a cooperative launch must be on the device at once (%d on each of", tooMany, occupancy.Blocks, occupancy.BlocksPerMultiprocessor)},
			{"cluster does not divide the grid", attributed(cuda.LaunchAttributes{Cluster: cuda.Dim(3)}), "the grid has 16 blocks in x, must be a multiple of the 3 of the cluster"},
			{"cluster without blocks", attributed(cuda.LaunchAttributes{Cluster: cuda.Dim3{X: 2}}), "the cluster has no blocks in y"},
			{"cluster too large", cuda.LaunchConfig{Grid: cuda.Dim(64), Block: cuda.Dim(64), Attributes: &cuda.LaunchAttributes{Cluster: cuda.Dim(32)}}, "the cluster has 32 blocks, limit 16"},
		} {
			t.Run(test.name, func(t *testing.T) {
				err := k.Saxpy.LaunchWith(s, test.cfg, 2, x, x)
				require.ErrorContains(t, err, test.want)
				var typed *cuda.Error
				require.ErrorAs(t, err, &typed)
				assert.Equal(t, "saxpy", typed.Kernel)
				assert.NoError(t, s.Synchronize(), "the stream lives on")
			})
		}
	})
}

func TestSharedMemoryIsOptedInto(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, ones(100)), upload(t, s, ones(100))
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(128)}
		for _, bytes := range []uint32{0, 1000, 48 << 10, 48<<10 + 1, 100 << 10, 20, 227 << 10} {
			cfg.SharedBytes = bytes
			require.NoError(t, k.Saxpy.LaunchWith(s, cfg, 1, x.All(), y.All()), "%d bytes", bytes)
		}
		wantSaxpy(t, s, y, 8)
		attributes, err := k.Saxpy.Kernel.Attributes()
		require.NoError(t, err)
		assert.Equal(t, 227<<10, attributes.MaxDynamicShared)
		cfg.SharedBytes++
		err = k.Saxpy.LaunchWith(s, cfg, 1, x.All(), y.All())
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		assert.ErrorContains(t, err, "a block uses 232449 bytes of shared memory (0 static, 232449 dynamic), limit 232448")

		occupancy, err := k.AddDelta.Kernel.Occupancy(cfg)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		assert.Zero(t, occupancy)
	})
}

// TestOptingInIsDoneOnce counts the calls.
func TestOptingInIsDoneOnce(t *testing.T) {
	onEachCounted(t, func(t *testing.T, dev *cuda.Device, calls func(entryPoint string) int) {
		k, s := loaded(t, dev)
		x := upload(t, s, ones(100)).All()
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(16), Block: cuda.Dim(128), SharedBytes: 100 << 10, Attributes: &cuda.LaunchAttributes{Cluster: cuda.Dim(16)}}
		for range 5 {
			cfg.SharedBytes += 1 << 10
			require.NoError(t, k.Saxpy.LaunchWith(s, cfg, 1, x, x))
		}
		assert.Equal(t, 2, calls("cuKernelSetAttribute"), "shared memory, and clusters of 16")
		assert.Equal(t, 5, calls("cuLaunchKernelEx"))
	})
}

func TestOccupancy(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		small, err := k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{Block: cuda.Dim(256)})
		require.NoError(t, err)
		assert.Equal(t, 8, small.BlocksPerMultiprocessor)
		assert.Zero(t, small.Blocks%small.BlocksPerMultiprocessor)
		large, err := k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{Block: cuda.Dim(256), SharedBytes: 100 << 10})
		require.NoError(t, err)
		assert.Equal(t, 2, large.BlocksPerMultiprocessor)
		_, err = k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{Block: cuda.Dim(2000)})
		assert.ErrorContains(t, err, "the block has 2000 threads, must have 1 to 1024")
		_, err = k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{})
		assert.ErrorContains(t, err, "the block has 0 threads")

		threads, grid, err := k.Saxpy.Kernel.SuggestedBlock(0, 0)
		require.NoError(t, err)
		assert.Equal(t, 1024, threads)
		assert.Positive(t, grid)
		threads, _, err = k.Saxpy.Kernel.SuggestedBlock(0, 128)
		require.NoError(t, err)
		assert.LessOrEqual(t, threads, 128)
		_, _, err = k.Saxpy.Kernel.SuggestedBlock(0, -1)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)

		cfg, err := k.Saxpy.Kernel.ConfigFor(1500, 0)
		require.NoError(t, err)
		assert.Equal(t, cuda.LaunchConfig{Grid: cuda.Dim(2), Block: cuda.Dim(1024)}, cfg)
		x, y := upload(t, s, ones(1500)), upload(t, s, ones(1500))
		require.NoError(t, k.Saxpy.LaunchWith(s, cfg, 2, x.All(), y.All()))
		wantSaxpy(t, s, y, 3)
		// The errors are those of what was called, with numbers that are not cut to those of a grid.
		_, err = k.Saxpy.Kernel.ConfigFor(0, 0)
		assert.ErrorContains(t, err, "cuda: configure saxpy on "+dev.String()+": threads is 0, must be at least 1")
		_, err = k.Saxpy.Kernel.ConfigFor(-7, 0)
		assert.ErrorContains(t, err, "threads is -7, must be at least 1")
		_, err = k.Saxpy.Kernel.ConfigFor(1<<45, 0)
		assert.ErrorContains(t, err, "35184372088832 threads are 34359738368 blocks of 1024, limit 2147483647")
		most, err := k.Saxpy.Kernel.ConfigFor(math.MaxInt32<<10, 0)
		require.NoError(t, err)
		assert.Equal(t, cuda.Dim(math.MaxInt32), most.Grid)
		_, err = k.Saxpy.Kernel.ConfigFor(math.MaxInt32<<10+1, 0)
		assert.ErrorContains(t, err, "2199023254529 threads are 2147483648 blocks of 1024, limit 2147483647")
		const tooMuch = "saxpy on %v: a block uses 1048576 bytes of shared memory (0 static, 1048576 dynamic), limit 232448"
		_, err = k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{Block: cuda.Dim(32), SharedBytes: 1 << 20})
		assert.ErrorContains(t, err, fmt.Sprintf("cuda: compute the occupancy of "+tooMuch, dev))
		_, _, err = k.Saxpy.Kernel.SuggestedBlock(1<<20, 0)
		assert.ErrorContains(t, err, fmt.Sprintf("cuda: suggest a block for "+tooMuch, dev))
	})
}

// TestDriverWithoutAttributes: what the driver lacks is an error that says what would have it.
func TestDriverWithoutAttributes(t *testing.T) {
	library := fakecuda.Build(t, fakecuda.Options{Without: []string{"cuLaunchKernelEx"}})
	out := inProcess(t, "attributes", "CUDAGEN_LIBCUDA="+library)
	assert.Contains(t, out, "plain: <nil>\n")
	assert.Contains(t, out, "this driver has no cuLaunchKernelEx: update NVIDIA's driver")
	out = inProcess(t, "attributes", "CUDAGEN_LIBCUDA="+fakecuda.Build(t, fakecuda.Options{}))
	assert.Contains(t, out, "attributed: <nil>\n", "the control")
}

// printAttributedLaunch launches plainly and with attributes, and prints the errors.
func printAttributedLaunch() int {
	dev, err := cuda.Open(0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	k, err := example.LoadKernels(dev)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	s, err := dev.NewStream()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	x, err := cuda.Upload(s, ones(10))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("plain:", k.Saxpy.Launch(s, 1, x.All(), x.All()))
	fmt.Println("attributed:", k.Saxpy.LaunchWith(s, attributed(cuda.LaunchAttributes{Cooperative: true}), 1, x.All(), x.All()))
	return 0
}

// TestLaunchBoundsAreExplained: sum has __launch_bounds__(256), which the fake driver does
// not know.
func TestLaunchBoundsAreExplained(t *testing.T) {
	dev := openSimulator(t)
	k, s := loaded(t, dev)
	in, partial := upload(t, s, make([]int32, 10)).All(), upload(t, s, make([]int64, 1)).All()
	err := k.Sum.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(512)}, in, partial)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	assert.Regexp(t, `the block has 512 threads, limit 256 for this kernel with its launch bounds and \d+ registers per thread`, err.Error())
}
