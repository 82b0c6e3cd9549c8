// Package clean is a server's worker, which is right.
package clean

import (
	"context"
	"errors"
	"sync"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Worker scales vectors.
type Worker struct {
	kernels *example.Kernels
	stream  *cuda.Stream
	in, out *cuda.HostBuffer[float32]
	device  *cuda.Buffer[float32]
}

// New returns a worker on dev.
func New(dev *cuda.Device, n int) (w *Worker, err error) {
	w = new(Worker)
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if w.kernels, err = example.LoadKernels(dev); err != nil {
		return w, err
	}
	if w.stream, err = dev.NewStream(); err != nil {
		return w, err
	}
	if w.in, err = cuda.AllocHost[float32](dev, n, cuda.HostConfig{}); err != nil {
		return w, err
	}
	if w.out, err = cuda.AllocHost[float32](dev, n, cuda.HostConfig{}); err != nil {
		return w, err
	}
	w.device, err = cuda.Alloc[float32](w.stream, n)
	return w, err
}

// Do scales x by a.
func (w *Worker) Do(ctx context.Context, a float32, x []float32) error {
	copy(w.in.Host(), x)
	if err := cuda.Copy(w.device.All(), w.in.All()).Launch(w.stream); err != nil {
		return err
	}
	if err := w.kernels.Saxpy.Launch(w.stream, a, w.device.All(), w.device.All()); err != nil {
		return err
	}
	if err := cuda.Copy(w.out.All(), w.device.All()).Launch(w.stream); err != nil {
		return err
	}
	if err := w.stream.Wait(ctx); err != nil {
		return err
	}
	copy(x, w.out.Host())
	return nil
}

// Close frees what w holds.
func (w *Worker) Close() error {
	return errors.Join(w.device.Close(), w.in.Close(), w.out.Close(), w.stream.Close(), w.kernels.Close())
}

// Each runs f on every device at once.
func Each(devices []*cuda.Device, f func(*Worker) error) error {
	errs := make([]error, len(devices))
	var done sync.WaitGroup
	for i, dev := range devices {
		done.Add(1)
		go func() {
			defer done.Done()
			w, err := New(dev, 1<<10)
			if err != nil {
				errs[i] = err
				return
			}
			defer w.Close()
			errs[i] = f(w)
		}()
	}
	done.Wait()
	return errors.Join(errs...)
}

// Timed returns the milliseconds that a launch takes.
func Timed(w *Worker, dev *cuda.Device) (float64, error) {
	begin, err := dev.NewEvent(cuda.EventConfig{Timing: true})
	if err != nil {
		return 0, err
	}
	defer begin.Close()
	end, err := dev.NewEvent(cuda.EventConfig{Timing: true})
	if err != nil {
		return 0, err
	}
	defer end.Close()
	if err := begin.Record(w.stream); err != nil {
		return 0, err
	}
	if err := w.kernels.Saxpy.Launch(w.stream, 1, w.device.All(), w.device.All()); err != nil {
		return 0, err
	}
	if err := end.Record(w.stream); err != nil {
		return 0, err
	}
	if err := end.Synchronize(); err != nil {
		return 0, err
	}
	d, err := begin.Elapsed(end)
	return float64(d.Microseconds()) / 1e3, err
}
