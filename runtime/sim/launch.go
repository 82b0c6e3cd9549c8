package sim

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (d *device) LaunchKernel(handle driver.Kernel, cfg driver.LaunchConfig, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	k, r := d.kernel(handle)
	if r != driver.Success {
		return r
	}
	if !k.accepts(cfg) {
		return driver.ErrorInvalidValue
	}
	block, ok := k.gather(params, offsets)
	if !ok {
		return driver.ErrorInvalidValue
	}
	d.mu.Lock()
	stop := d.stop
	d.mu.Unlock()
	return d.do(s, func() {
		if _, fault := k.launch(&d.mem, cfg, block, stop, runtime.GOMAXPROCS(0)); fault != nil {
			k.lib.mu.Lock()
			k.lib.log += fault.Error() + "\n"
			k.lib.mu.Unlock()
			d.fail(fault)
		}
	})
}

// accepts reports whether k can be launched so.
//
// CUDA Driver API, Execution Control: cuLaunchKernel; CUDA Programming Guide,
// Compute Capabilities.
func (k *kernel) accepts(cfg driver.LaunchConfig) bool {
	g, b := cfg.Grid, cfg.Block
	threads := uint64(b.X) * uint64(b.Y) * uint64(b.Z)
	switch {
	case g.X == 0 || g.Y == 0 || g.Z == 0 || g.X > maxGridX || g.Y > maxGridY || g.Z > maxGridZ:
		return false
	case b.X == 0 || b.Y == 0 || b.Z == 0 || b.X > maxBlockX || b.Y > maxBlockY || b.Z > maxBlockZ:
		return false
	case threads > uint64(k.maxThreads):
		return false
	case k.required != [3]uint32{} && k.required != [3]uint32{b.X, b.Y, b.Z}:
		return false
	}
	return k.sharedBytes+int64(cfg.SharedBytes) <= maxSharedPerBlock
}

// gather copies the parameters, which begin at offsets in block, to where the PTX
// has them. It reports false when block does not hold them.
func (k *kernel) gather(block []byte, offsets []uint32) ([]byte, bool) {
	if len(offsets) != len(k.params) {
		return nil, false
	}
	params := make([]byte, k.paramBytes)
	for n, p := range k.params {
		from := uint64(offsets[n])
		if from+p.size > uint64(len(block)) {
			return nil, false
		}
		copy(params[p.offset:p.offset+p.size], block[from:])
	}
	return params, true
}

// launch runs the grid on at most the given number of workers and returns how many
// thread instructions it executed, or what stopped it. params is in the layout of
// the PTX.
func (k *kernel) launch(mem *memory, cfg driver.LaunchConfig, params []byte, stop *atomic.Bool, workers int) (executed uint64, fault *Fault) {
	blocks := uint64(cfg.Grid.X) * uint64(cfg.Grid.Y) * uint64(cfg.Grid.Z)
	if k.ordered {
		workers = 1
	}
	workers = int(min(uint64(workers), blocks))
	run := &run{k: k, cfg: cfg, blocks: blocks, failedAt: blocks}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(func() { run.work(newBlock(k, mem, cfg, params, stop)) })
	}
	run.work(newBlock(k, mem, cfg, params, stop))
	wg.Wait()
	return run.executed.Load(), run.fault
}

// A run is a grid being executed.
type run struct {
	k        *kernel
	cfg      driver.LaunchConfig
	blocks   uint64
	next     atomic.Uint64
	executed atomic.Uint64

	mu       sync.Mutex
	fault    *Fault
	failedAt uint64 // the lowest block that failed
}

// work executes blocks in b until none is left or one fails. Of several that fail the
// first in the grid is reported, so that the report does not vary.
func (r *run) work(b *block) {
	defer func() { r.executed.Add(b.executed) }()
	for {
		n := r.next.Add(1) - 1
		if n >= r.blocks {
			return
		}
		if b.stop.Load() {
			r.fail(n, &Fault{Kernel: r.k.name, Reason: "stopped: the context was destroyed", code: driver.ErrorContextIsDestroyed})
			return
		}
		x, y := uint64(r.cfg.Grid.X), uint64(r.cfg.Grid.Y)
		index := driver.Dim3{X: uint32(n % x), Y: uint32(n / x % y), Z: uint32(n / x / y)}
		if fault := b.exec(index); fault != nil {
			r.fail(n, fault)
			r.next.Store(r.blocks)
			return
		}
	}
}

func (r *run) fail(n uint64, fault *Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.failedAt {
		r.failedAt, r.fault = n, fault
	}
}
