// Command peer-gorgonia launches saxpy through gorgonia.org/cu, a Go package that calls the
// driver by cgo: a peer of bench/launch.
//
//	peer-gorgonia launch|ctx IMAGE COUNT
//
// launch calls Function.Launch on a thread that has the context; ctx calls
// Ctx.LaunchKernel, which hands each launch to the goroutine of the context, as the package's
// documents advise for programs with goroutines. The first line that is printed is "ready" and
// the library, or why it cannot run; then every line that is read asks for a round, and the
// answer is the nanoseconds that one launch took.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
	"unsafe"

	"gorgonia.org/cu"
)

const (
	elements = 256
	streams  = 8 // they are not alike: each round takes the next, as Go and C do
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Println("gorgonia/cu:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || args[0] != "launch" && args[0] != "ctx" {
		return fmt.Errorf("usage: launch|ctx IMAGE COUNT")
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	image, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	runtime.LockOSThread() // open makes the context current here
	p, err := open(string(image)+"\x00", args[0] == "ctx")
	if err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	if p.ctx != nil {
		runtime.UnlockOSThread() // the goroutine of the context has a thread of its own
	}
	debug.SetGCPercent(-1)
	name := "gorgonia/cu " + version()
	if p.ctx != nil {
		name += ", through the goroutine of its context"
	}
	fmt.Println("ready", name)
	lines := bufio.NewScanner(os.Stdin)
	for number := 0; lines.Scan(); number++ {
		elapsed, err := p.round(p.streams[number%streams], count)
		if err != nil {
			return err
		}
		fmt.Println(float64(elapsed.Nanoseconds()) / float64(count))
	}
	return lines.Err()
}

// version returns that of gorgonia.org/cu.
func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if dep.Path == "gorgonia.org/cu" {
			return dep.Version
		}
	}
	return "?"
}

// A peer launches one kernel. ctx is nil if launches are calls on this thread.
type peer struct {
	ctx      *cu.Ctx
	function cu.Function
	streams  [streams]cu.Stream
	x, y     cu.DevicePtr
}

func open(image string, through bool) (*peer, error) {
	device, err := cu.GetDevice(0)
	if err != nil {
		return nil, err
	}
	own, err := device.RetainPrimaryCtx()
	if err != nil {
		return nil, err
	}
	if err := cu.SetCurrentContext(own); err != nil {
		return nil, err
	}
	p := new(peer)
	if through {
		p.ctx = cu.CtxFromCUContext(device, own, 0)
		failed := make(chan error)
		go p.ctx.Run(failed)
		if err := <-failed; err != nil {
			return nil, err
		}
	}
	module, err := cu.LoadData(image)
	if err != nil {
		return nil, err
	}
	if p.function, err = module.Function("saxpy"); err != nil {
		return nil, err
	}
	for i := range p.streams {
		if p.streams[i], err = cu.MakeStream(cu.NonBlocking); err != nil {
			return nil, err
		}
	}
	if p.x, err = cu.MemAlloc(4 * elements); err != nil {
		return nil, err
	}
	p.y, err = cu.MemAlloc(4 * elements)
	return p, err
}

// check compares y with 2 * x after one launch on x = 0, 1, 2 … and y = 0. The fake driver runs
// no kernel.
func (p *peer) check() error {
	var x, y [elements]float32
	for i := range x {
		x[i] = float32(i)
	}
	if err := cu.MemcpyHtoD(p.x, unsafe.Pointer(&x), 4*elements); err != nil {
		return err
	}
	if err := cu.MemcpyHtoD(p.y, unsafe.Pointer(&y), 4*elements); err != nil {
		return err
	}
	if _, err := p.round(p.streams[0], 1); err != nil {
		return err
	}
	if err := cu.MemcpyDtoH(unsafe.Pointer(&y), p.y, 4*elements); err != nil || os.Getenv("CUDAGEN_PEERS_FAKE") != "" {
		return err
	}
	for i := range y {
		if y[i] != 2*x[i] {
			return fmt.Errorf("y[%d] is %v, want %v", i, y[i], 2*x[i])
		}
	}
	return nil
}

// round times count launches on s, and waits for them.
func (p *peer) round(s cu.Stream, count int) (time.Duration, error) {
	n, a := int32(elements), float32(2)
	// Launch copies eight bytes of each argument.
	var wide [2]uint64
	*(*int32)(unsafe.Pointer(&wide[0])), *(*float32)(unsafe.Pointer(&wide[1])) = n, a
	args := []unsafe.Pointer{unsafe.Pointer(&wide[0]), unsafe.Pointer(&wide[1]), unsafe.Pointer(&p.x), unsafe.Pointer(&p.y)}
	start := time.Now()
	for range count {
		if p.ctx != nil {
			if p.ctx.LaunchKernel(p.function, 1, 1, 1, elements, 1, 1, 0, s, args); p.ctx.Error() != nil {
				return 0, p.ctx.Error()
			}
			continue
		}
		if err := p.function.Launch(1, 1, 1, elements, 1, 1, 0, s, args); err != nil {
			return 0, err
		}
	}
	return time.Since(start), s.Synchronize()
}
