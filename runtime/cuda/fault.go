package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Fault describes why a kernel stopped and made its device unusable: an access outside of
// its memory, a trap, a barrier that not all threads can reach. It also describes what a check of the simulated device has found,
// behind which the kernel and the device go on; its Code is then 0 (docs/testing.md). Every error that this package
// returns because of a fault wraps it:
//
//	var fault *cuda.Fault
//	if errors.As(err, &fault) {
//		fmt.Println(fault.Kernel, fault.File, fault.Line, fault.Thread)
//	}
//
// The simulated device fills in all of it. A GPU's driver tells only the Code. Kernel is then
// the one kernel that was launched or prepared on the device, or Suspects are all of them:
// those of images that are loaded. Kernels of other libraries are not known. A Fault wraps its
// Code.
type Fault struct {
	Code   Code   // 0 if the device goes on
	Device string // "device 0 (cudagen simulated device)"

	Suspects    []string // kernels one of which has failed, if that is all that is known
	Kernel      string   // qualified C++ name; empty if it is unknown or a copy failed
	File        string   // path of the source file, from the working directory if it is in its module, else as the PTX names it; empty without line information
	Line        int      // in File
	InlinedAt   []string // file:line where the code of Line was inlined, and that in turn: innermost first
	PTXLine     int      // line of the instruction in the PTX
	Instruction string   // as the PTX has it
	Block       Dim3     // index of the block in the grid
	Thread      Dim3     // index of the thread in the block
	Warp, Lane  int      // of the thread: the warp in the block, the lane in the warp
	Address     uint64   // that the thread accessed, or 0
	AllocatedAt string   // file:line of the Go code, or of the kernel's malloc, that allocated the memory at Address; runtime/simtest notes it
	FreedAt     string   // where that memory was freed, if it was
	Reason      string   // what is wrong; empty if it is unknown

	Check  string   // the check of the simulated device that found it: "racecheck", …; empty if the kernel stopped by itself
	Count  uint64   // how often the check has found it at this place; 1 if the kernel stopped
	Others []*Fault // what checks have found at other places

	Waiting []WaitingThreads // where threads wait, if the kernel made no progress
}

// A WaitingThreads is threads of a warp that wait at one place in a kernel that makes no progress.
type WaitingThreads struct {
	Block       Dim3   // index of the block in the grid
	Thread      Dim3   // the first of the threads, in the block
	Warp        int    // in the block
	Lanes       uint32 // bit n stands for lane n
	File        string // as in Fault
	Line        int
	InlinedAt   []string
	PTXLine     int
	Instruction string
	For         string // what they wait for; empty if they repeat a loop
}

// Error returns what is known: kernel, line, instruction, reason, block and thread, code.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Kernel != "" {
		b.WriteString(f.Kernel + ": ")
	}
	if f.PTXLine != 0 {
		fmt.Fprintf(&b, "PTX line %d", f.PTXLine)
		if f.File != "" {
			fmt.Fprintf(&b, " (%s:%d", f.File, f.Line)
			if inlined := driver.InlinedText(f.InlinedAt); inlined != "" {
				b.WriteString(", " + inlined)
			}
			b.WriteString(")")
		}
		b.WriteString(": " + f.Instruction + ": ")
	}
	b.WriteString(f.suspectsText() + f.Reason)
	if f.PTXLine != 0 {
		fmt.Fprintf(&b, " [block (%d,%d,%d), thread (%d,%d,%d), warp %d, lane %d]",
			f.Block.X, f.Block.Y, f.Block.Z, f.Thread.X, f.Thread.Y, f.Thread.Z, f.Warp, f.Lane)
	}
	if f.Code == 0 {
		return b.String()
	}
	if b.Len() > 0 && !strings.HasSuffix(b.String(), ": ") {
		b.WriteString(": ")
	}
	return b.String() + f.Code.Error()
}

// Unwrap returns f.Code, or nil if that is 0.
func (f *Fault) Unwrap() error {
	if f.Code == 0 {
		return nil
	}
	return f.Code
}

// faultOf describes the fault because of which a call on d has returned r.
func (d *Device) faultOf(r driver.Result) *Fault {
	f := &Fault{Code: Code(r), Device: d.String()}
	if d.sim == nil {
		f.suspect(d.suspects())
		return f
	}
	known := d.sim.Fault()
	if known == nil || known.Result != r {
		return f
	}
	f.tell(known)
	return f
}

// tell adds what the simulated device knows.
func (f *Fault) tell(known *driver.Fault) {
	f.Kernel = known.Name
	if f.Kernel == "" {
		f.Kernel = known.Symbol
	}
	f.File, f.Line, f.InlinedAt, f.PTXLine, f.Instruction = known.Source, known.Line, known.InlinedAt, known.PTXLine, known.Instruction
	f.Block, f.Thread, f.Warp, f.Lane = Dim3(known.Block), Dim3(known.Thread), known.Warp, known.Lane
	f.Address, f.AllocatedAt, f.FreedAt, f.Reason = known.Address, known.Allocated, known.Freed, known.Reason
	for _, w := range known.Waiting {
		f.Waiting = append(f.Waiting, WaitingThreads{
			Block: Dim3(w.Block), Thread: Dim3(w.Thread), Warp: w.Warp, Lanes: w.Lanes,
			File: w.Source, Line: w.Line, InlinedAt: w.InlinedAt, PTXLine: w.PTXLine, Instruction: w.Instruction, For: w.For,
		})
	}
	f.Check, f.Count = known.Check, known.Count
	for _, other := range known.Others {
		o := &Fault{Code: Code(other.Result), Device: f.Device}
		o.tell(other)
		f.Others = append(f.Others, o)
	}
}

// reports returns what checks have found on d without ending its context, and at how many places more.
func (d *Device) reports() (found []*Fault, more int) {
	if d.sim == nil {
		return nil, 0
	}
	known, more := d.sim.Reports()
	for _, k := range known {
		found = append(found, d.reported(k))
	}
	return found, more
}

// reported describes what a check has found behind which d goes on.
func (d *Device) reported(known *driver.Fault) *Fault {
	f := &Fault{Device: d.String()}
	f.tell(known)
	return f
}

// foundByChecks returns as an error of Close what the checks of the environment have found, or nil.
func (d *Device) foundByChecks() error {
	if !d.checked {
		return nil
	}
	found, more := d.reports()
	if len(found) == 0 {
		return nil
	}
	first := found[0]
	first.Others = found[1:]
	places := fmt.Sprintf("something at %d places, the first", len(found)+more)
	if len(found)+more == 1 {
		places = "this"
	}
	return &Error{Op: "close", Device: d.String(), Driver: d.version, Detail: fmt.Sprintf("the checks of %s have found %s", checksVariable, places), Err: first}
}

// stopKernels has the simulated device stop a kernel that does not end, for Close.
func (d *Device) stopKernels() {
	if d.sim != nil {
		d.sim.Closing()
	}
}

// closingStream has the simulated device stop a kernel that does not end, for the Close of a
// stream, until closed is called.
func (d *Device) closingStream(s driver.Stream) (closed func()) {
	if d.sim == nil {
		return func() {}
	}
	return d.sim.ClosingStream(s)
}

// unheard returns as an error of Close the fault that ended d, unless it is known: work that
// nobody has waited for has failed, or was stopped.
func (d *Device) unheard(known *Error) error {
	first := d.fault.Load()
	if first == nil || first == known {
		return nil
	}
	return &Error{Op: "close", Device: d.String(), Driver: d.version, Err: first.Err}
}

// failed completes e, the error of a call on k that the driver has answered with r: it says
// that k's library was closed after the call began, and what in k the simulated device does not
// support.
func (k *Kernel) failed(e *Error, r driver.Result) error {
	if r == driver.ErrorInvalidHandle && k.handle() == 0 {
		e.Device, e.Driver, e.Detail, e.Err = k.dev.String(), k.dev.version, k.dev.closedObject("the kernel's library"), ErrClosed
		return e
	}
	if r == driver.ErrorNotSupported && k.dev.sim != nil {
		if what := k.dev.sim.Unsupported(k.handle()); what != "" {
			e.Detail, e.Hint = what, "cudagen sim lists what a file needs; docs/simulator.md lists what it supports"
			if strings.Contains(what, "call of ") || strings.Contains(what, "of another module") {
				e.Hint = "link what another file defines (docs/linking.md); " + e.Hint
			}
		}
	}
	return k.dev.failed(e, r)
}

// A driver does not say which kernel has failed. So a device knows the names of the kernels
// that were launched or prepared on it, by image, until that is unloaded: Device.launched.
// A launch that is no kernel's first pays nothing for that, because sharedEnd, which it
// compares anyway, is 0 before.

// noteLaunch notes that k will be launched.
func (k *Kernel) noteLaunch() {
	if k.sharedEnd.Load() != 0 {
		return
	}
	if end := k.launchable(); end != 0 {
		k.raiseShared(end)
		return
	}
	d, image := k.dev, k.library.shared
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.launched[image], k.name) {
		d.launched[image] = append(d.launched[image], k.name)
	}
	k.raiseShared(1)
}

// suspects returns the names of the kernels that may have failed, sorted.
func (d *Device) suspects() (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, of := range d.launched {
		names = append(names, of...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// suspect says in f which kernel, or which of several, has failed.
func (f *Fault) suspect(names []string) {
	if len(names) == 1 {
		f.Kernel = names[0]
	} else {
		f.Suspects = names
	}
}

// maxSuspects bounds how many kernels an error names.
const maxSuspects = 8

// suspectsText returns the kernels one of which has failed, or "".
func (f *Fault) suspectsText() string {
	names, more := f.Suspects, ""
	if len(names) == 0 {
		return ""
	}
	if len(names) > maxSuspects {
		names, more = names[:maxSuspects], " and others"
	}
	return "one of the kernels " + strings.Join(names, ", ") + more
}
