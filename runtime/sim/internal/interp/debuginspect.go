package interp

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A WarpState is where the lanes of a warp stand.
type WarpState struct {
	Block  driver.Dim3
	Warp   int
	Live   uint32 // lanes that have not exited
	Groups []GroupState
}

// A GroupState is lanes that stand at one instruction.
type GroupState struct {
	PC    int32
	Mask  uint32
	Waits string // for what; empty if they are ready
}

// A Frame is a call under way in a lane, or the kernel.
type Frame struct {
	PC       int32              // of the instruction that is executed next, or of the call
	Function *bytecode.Function // nil for the kernel
	Base     uint64             // of its variables in local memory
}

// Warps returns the warps of the blocks that run, in the order of their blocks' places among those.
func (l *Launch) Warps() (list []WarpState) {
	for _, b := range l.blocks {
		if b.live == 0 {
			continue
		}
		for n := range b.warps {
			w := &b.warps[n]
			s := WarpState{Block: b.index, Warp: n, Live: w.live}
			if w == l.now.w {
				s.Groups = append(s.Groups, GroupState{PC: l.now.pc, Mask: l.now.mask & w.live})
			}
			for _, g := range w.groups {
				s.Groups = append(s.Groups, GroupState{g.pc, g.mask, b.awaited(w, g)})
			}
			list = append(list, s)
		}
	}
	return list
}

// warp returns a warp of a block that runs, or nil.
func (l *Launch) warp(block driver.Dim3, n int) (*block, *warp) {
	for _, b := range l.blocks {
		if b.index == block && b.live > 0 && n >= 0 && n < len(b.warps) {
			return b, &b.warps[n]
		}
	}
	return nil, nil
}

// position returns where a lane stands, or -1 if it has exited.
func (l *Launch) position(w *warp, lane int) (pc int32, ok bool) {
	if w == l.now.w && l.now.mask>>lane&1 != 0 {
		return l.now.pc, true
	}
	for _, g := range w.groups {
		if g.mask>>lane&1 != 0 {
			return g.pc, true
		}
	}
	return -1, false
}

// find is warp for a lane, or says why there is none.
func (l *Launch) find(block driver.Dim3, n, lane int) (*block, *warp, error) {
	b, w := l.warp(block, n)
	if w == nil || lane < 0 || lane >= bytecode.WarpSize || w.lanes>>lane&1 == 0 {
		return nil, nil, fmt.Errorf("block (%d,%d,%d) does not run, or has no warp %d with a lane %d", block.X, block.Y, block.Z, n, lane)
	}
	return b, w, nil
}

// Frames returns the calls that are under way in a lane, the innermost first.
func (l *Launch) Frames(block driver.Dim3, n, lane int) ([]Frame, error) {
	_, w, err := l.find(block, n, lane)
	if err != nil {
		return nil, err
	}
	pc, ok := l.position(w, lane)
	if !ok {
		return nil, fmt.Errorf("lane %d of warp %d has exited", lane, n)
	}
	var frames []Frame
	if w.stack != nil {
		calls := w.stack.lanes[lane]
		for i := len(calls) - 1; i >= 0; i-- {
			frames = append(frames, Frame{pc, calls[i].fn, calls[i].top})
			pc = calls[i].pc
		}
	}
	return append(frames, Frame{PC: pc}), nil
}

// Register returns a register, or predicate, in all lanes of a warp. In a frame beyond the first it is right in lane only.
func (l *Launch) Register(block driver.Dim3, n, lane int, index int32, predicate bool, frame int) (*simd.Lanes, error) {
	_, w, err := l.find(block, n, lane)
	if err != nil {
		return nil, err
	}
	values := new(simd.Lanes)
	switch {
	case index < 0 || predicate && int(index) >= len(w.preds) || !predicate && int(index) >= len(w.regs):
		return nil, fmt.Errorf("there is no register %d", index)
	case predicate:
		for l := range values {
			values[l] = uint64(w.preds[index] >> l & 1)
		}
	default:
		*values = w.regs[index]
	}
	if w.stack != nil && frame > 0 {
		w.stack.saveOf(lane, frame, index, predicate, values)
	}
	return values, nil
}

// saveOf replaces the value of a lane by the one that a call in between has saved, if the function of the frame was called again.
func (s *callStack) saveOf(lane, frame int, index int32, predicate bool, values *simd.Lanes) {
	calls, saved := s.lanes[lane], s.saved[lane]
	own := len(calls) - 1 - frame
	if own < 0 {
		return
	}
	for i := len(calls) - 1; i > own; i-- {
		f := calls[i].fn
		if !calls[i].again {
			continue
		}
		regs := int(f.LastReg - f.FirstReg)
		from := len(saved) - regs - int(f.LastPred-f.FirstPred)
		if f == calls[own].fn {
			switch {
			case predicate && index >= f.FirstPred && index < f.LastPred:
				values[lane] = saved[from+regs+int(index-f.FirstPred)]
			case !predicate && index >= f.FirstReg && index < f.LastReg:
				values[lane] = saved[from+int(index-f.FirstReg)]
			}
		}
		saved = saved[:from]
	}
}

// Read returns n bytes at an address as a lane reaches it.
func (l *Launch) Read(block driver.Dim3, warp, lane int, space bytecode.Space, addr, n uint64) ([]byte, error) {
	b, w, err := l.find(block, warp, lane)
	if err != nil {
		return nil, err
	}
	if n > maxRead {
		return nil, fmt.Errorf("%d bytes are more than %d", n, maxRead)
	}
	r, what := b.locate(w, space, addr, false)
	if what == "" && (addr < r.from || n > r.size || addr-r.from > r.size-n) {
		what = "is out of bounds"
	}
	if what != "" {
		return nil, fmt.Errorf("%s address %#x %s", space, addr, what)
	}
	bytes := make([]byte, n)
	if n > 0 {
		copy(bytes, unsafe.Slice((*byte)(unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride)), n))
	}
	return bytes, nil
}

// maxRead is how many bytes Read returns at most.
const maxRead = 1 << 20

// Threads returns the place of a lane in its block.
func (l *Launch) Thread(warp, lane int) driver.Dim3 {
	return l.blocks[0].thread(warp*bytecode.WarpSize + lane)
}

// Absolute returns the space that an address of a thread is in, the address there and, of shared memory, the block whose it is.
func (l *Launch) Absolute(block driver.Dim3, warp, lane int, space bytecode.Space, addr uint64) (bytecode.Space, uint64, driver.Dim3, error) {
	b, _, err := l.find(block, warp, lane)
	if err != nil {
		return space, addr, block, err
	}
	space, addr, owner := b.absolute(space, addr)
	return space, addr, owner.index, nil
}
