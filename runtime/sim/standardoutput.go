package sim

import (
	"io"
	"sync"
)

// An output is where what kernels print goes. Its own lock lets a writer ask the device.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

// SetOutput implements driver.Simulation.
func (d *primaryContext) SetOutput(w io.Writer) {
	d.output.mu.Lock()
	defer d.output.mu.Unlock()
	d.output.w = w
}

// print writes what a kernel has printed.
func (d *primaryContext) print(text []byte) {
	if len(text) == 0 {
		return
	}
	d.output.mu.Lock()
	defer d.output.mu.Unlock()
	d.output.w.Write(text)
}
