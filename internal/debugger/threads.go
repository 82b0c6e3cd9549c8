package debugger

import (
	"fmt"

	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugwire"
)

// Threads of the client are the warps of the blocks that run, and the lanes of the warp that is stopped. A warp stands
// for the lane for which it has stopped, or the lowest that runs.

// maxThreads is how many warps the client is told of at most.
const maxThreads = 128

// threadOf returns the number of a warp or lane. s.mu is held.
func (s *session) threadOf(focus debugwire.Lane) int {
	id := s.threads[focus]
	if id == 0 {
		id = len(s.threads) + 1
		s.threads[focus] = id
	}
	return id
}

// laneOf returns the warp or lane of a number. s.mu is held.
func (s *session) laneOf(thread int) (debugwire.Lane, error) {
	for focus, id := range s.threads {
		if id == thread {
			return focus, nil
		}
	}
	return debugwire.Lane{}, fmt.Errorf("there is no thread %d", thread)
}

// listThreads returns the threads of the launch that is stopped. While none is, there is one, for the program: clients want one.
func (s *session) listThreads() []dap.Thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil || s.target == nil {
		return []dap.Thread{{Id: s.threadOf(debugwire.Lane{Warp: -1}), Name: "the program"}}
	}
	var list []dap.Thread
	focus, more := s.stop.focus, 0
	for _, w := range s.warpsOf(s.stop) {
		stopped := w.Block == focus.Block && w.Warp == focus.Warp
		if w.Live == 0 {
			continue
		}
		if len(list) >= maxThreads && !stopped {
			more++
			continue
		}
		warp := debugwire.Lane{Block: w.Block, Warp: w.Warp, Lane: allLanes}
		list = append(list, dap.Thread{Id: s.threadOf(warp), Name: fmt.Sprintf("%s warp %d%s", blockName(w.Block), w.Warp, waits(w))})
		if !stopped {
			continue
		}
		for lane := range 32 {
			if w.Live>>lane&1 != 0 {
				at := debugwire.Lane{Block: w.Block, Warp: w.Warp, Lane: lane}
				list = append(list, dap.Thread{Id: s.threadOf(at), Name: fmt.Sprintf("%s warp %d lane %d, thread %s", blockName(w.Block), w.Warp, lane, dims(s.threadIdx(at)))})
			}
		}
	}
	if more > 0 {
		list = append(list, dap.Thread{Id: s.threadOf(debugwire.Lane{Warp: -2}), Name: fmt.Sprintf("%d more warps, which are not shown", more)})
	}
	return list
}

// waits says for what a warp waits, if all of it does, and whether its lanes stand at several places.
func waits(w debugwire.Warp) string {
	switch {
	case len(w.Groups) > 1:
		return fmt.Sprintf(", at %d places", len(w.Groups))
	case len(w.Groups) == 1 && w.Groups[0].Waits != "":
		return ", waits for " + w.Groups[0].Waits
	}
	return ""
}

// threadIdx returns the place of a lane in its block. s.mu is held.
func (s *session) threadIdx(at debugwire.Lane) debugwire.Dim3 {
	n, block := uint32(at.Warp*32+at.Lane), s.launch.Block
	x, y := max(block.X, 1), max(block.Y, 1)
	return debugwire.Dim3{X: n % x, Y: n / x % y, Z: n / x / y}
}

func (s *session) stackTrace(a *dap.StackTraceArguments) (body dap.StackTraceResponseBody, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	focus, err := s.laneOf(a.ThreadId)
	if err != nil {
		return body, err
	}
	frames, err := s.framesOf(focus)
	if err != nil {
		return body, err
	}
	body.TotalFrames = len(frames)
	body.StackFrames = []dap.StackFrame{}
	for n, f := range frames {
		if n < a.StartFrame || a.Levels > 0 && n >= a.StartFrame+a.Levels {
			continue
		}
		shown := dap.StackFrame{Id: s.keep(handle{frame: f}), Name: f.name(), Column: 1}
		shown.Source, shown.Line = s.sourceOf(f.image, f.kernel, f.PC)
		shown.InstructionPointerReference = fmt.Sprintf("PTX:%d", f.ptxLine())
		body.StackFrames = append(body.StackFrames, shown)
	}
	return body, nil
}

// name is the function of f in the source, or its symbol.
func (f *frame) name() string {
	symbol := f.symbol()
	if fn := f.described(); fn != nil {
		return fn.Name
	}
	return symbol
}

// symbol is the symbol of f's function.
func (f *frame) symbol() string {
	if f.Function != "" {
		return f.Function
	}
	return f.kernel.Name
}

// keep returns a reference for what the client may ask for while the kernel is stopped. s.mu is held.
func (s *session) keep(h handle) int {
	s.handles = append(s.handles, h)
	return len(s.handles)
}

// handle returns what a reference stands for, or nil. s.mu is held.
func (s *session) handle(reference int) *handle {
	if reference < 1 || reference > len(s.handles) {
		return nil
	}
	return &s.handles[reference-1]
}
