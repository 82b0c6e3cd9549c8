package interp

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/stops"
)

// An inspector looks into the blocks of a launch, for a debugger.
type inspector struct{ blocks []*block }

// Warps implements stops.Inspector.
func (i *inspector) Warps() (list []stops.WarpState) {
	for _, b := range i.blocks {
		if b.live == 0 {
			continue
		}
		for n := range b.warps {
			w := &b.warps[n]
			s := stops.WarpState{Block: b.index, Warp: n, Live: w.live}
			for _, g := range w.groups {
				s.Groups = append(s.Groups, stops.GroupState{PC: g.pc, Mask: g.mask, Waits: b.awaited(w, g)})
			}
			list = append(list, s)
		}
	}
	return list
}

// Warp implements stops.Inspector.
func (i *inspector) Warp(block driver.Dim3, n int) stops.Warp {
	if b, w := i.warp(block, n); w != nil {
		return debugged{b, w}
	}
	return nil
}

// warp returns a warp of a block that runs, or nil.
func (i *inspector) warp(block driver.Dim3, n int) (*block, *warp) {
	for _, b := range i.blocks {
		if b.index == block && b.live > 0 && n >= 0 && n < len(b.warps) {
			return b, &b.warps[n]
		}
	}
	return nil, nil
}

// find is warp for a lane, or says why there is none.
func (i *inspector) find(block driver.Dim3, n, lane int) (*block, *warp, error) {
	b, w := i.warp(block, n)
	if w == nil || lane < 0 || lane >= bytecode.WarpSize || w.lanes>>lane&1 == 0 {
		return nil, nil, fmt.Errorf("block (%d,%d,%d) does not run, or has no warp %d with a lane %d", block.X, block.Y, block.Z, n, lane)
	}
	return b, w, nil
}

// Calls implements stops.Inspector.
func (i *inspector) Calls(block driver.Dim3, n, lane int) (frames []stops.Frame, err error) {
	_, w, err := i.find(block, n, lane)
	if err != nil {
		return nil, err
	}
	pc := int32(-1)
	if w.stack != nil {
		calls := w.stack.lanes[lane]
		for i := len(calls) - 1; i >= 0; i-- {
			frames = append(frames, stops.Frame{PC: pc, Function: calls[i].fn, Base: calls[i].top})
			pc = calls[i].pc
		}
	}
	return append(frames, stops.Frame{PC: pc}), nil
}

// Register implements stops.Inspector.
func (i *inspector) Register(block driver.Dim3, n, lane int, index int32, predicate bool, frame int) (*simd.Lanes, error) {
	_, w, err := i.find(block, n, lane)
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

// Read implements stops.Inspector.
func (i *inspector) Read(block driver.Dim3, warp, lane int, space bytecode.Space, addr, n uint64) ([]byte, error) {
	b, w, err := i.find(block, warp, lane)
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

// Absolute implements stops.Inspector.
func (i *inspector) Absolute(block driver.Dim3, warp, lane int, space bytecode.Space, addr uint64) (bytecode.Space, uint64, driver.Dim3, error) {
	b, _, err := i.find(block, warp, lane)
	if err != nil {
		return space, addr, block, err
	}
	space, addr, owner := b.absolute(space, addr)
	return space, addr, owner.index, nil
}
