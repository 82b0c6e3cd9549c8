// Package debug connects launches of simulated devices with a debugger: it tells it of images and launches, and does what it asks. It
// knows kernels as bytecode has them, and how interp stops. It knows no source files, variables of C++ or editors.
package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/stops"
)

// A Session is a connection to a debugger. A nil Session is none.
type Session struct {
	conn     *debugwire.Conn
	debugger *stops.Debugger

	mu      sync.Mutex
	images  uint64
	kernels map[*bytecode.Kernel]uint64            // numbers of their images
	byName  map[uint64]map[string]*bytecode.Kernel // by image
	launch  *stops.Launch                          // that is stopped, or nil
}

// Attached returns the session with the debugger that the environment names, or nil if it names none. If the debugger goes away, the process
// ends: nobody would let its kernels go on. Processes that this one starts are not debugged.
var Attached = sync.OnceValue(func() *Session {
	address := os.Getenv(debugwire.Environment)
	if address == "" {
		return nil
	}
	os.Unsetenv(debugwire.Environment)
	s, err := attach(address)
	if err != nil {
		fmt.Fprintf(os.Stderr, "cudagen: the debugger that $%s names does not answer: %v\n", debugwire.Environment, err)
		os.Exit(1)
	}
	go func() {
		<-s.conn.Ended()
		os.Exit(1)
	}()
	return s
})

// attach returns a session with the debugger at the address of a Unix socket.
func attach(address string) (*Session, error) {
	conn, err := net.Dial("unix", address)
	if err != nil {
		return nil, err
	}
	s := newSession(conn)
	return s, s.conn.Call(debugwire.CallHello, debugwire.Hello{Undefined: simd.UndefinedWord, Windows: windows}, nil)
}

// newSession returns a session over conn.
func newSession(conn net.Conn) *Session {
	s := &Session{kernels: make(map[*bytecode.Kernel]uint64), byName: make(map[uint64]map[string]*bytecode.Kernel)}
	s.debugger = &stops.Debugger{Began: s.began, Stopped: s.stopped, Ended: s.ended}
	s.conn = debugwire.NewConn(conn, s.answer)
	return s
}

// Debugger returns what launches are followed by, or nil.
func (s *Session) Debugger() *stops.Debugger {
	if s == nil {
		return nil
	}
	return s.debugger
}

// Load loads an image by load, or another one in its place that the debugger has made. One that turns out not to be that is released.
func (s *Session) Load(image []byte, load func([]byte) (*bytecode.Library, *bytecode.Refusal), release func(*bytecode.Library)) (*bytecode.Library, *bytecode.Refusal) {
	var other debugwire.Replacement
	if err := s.conn.Call(debugwire.CallImage, debugwire.Image{Text: image}, &other); err != nil {
		return load(image)
	}
	told := debugwire.Loaded{Text: image}
	if len(other.Text) > 0 {
		lib, refused := s.replaced(image, other.Text, load, release)
		if refused == "" {
			told.Text = other.Text
			s.loaded(lib, told)
			return lib, nil
		}
		told.Refused = refused
	}
	lib, refusal := load(image)
	if refusal == nil {
		s.loaded(lib, told)
	}
	return lib, refusal
}

// replaced loads the image other for another one, or says why it is not that.
func (s *Session) replaced(image, other []byte, load func([]byte) (*bytecode.Library, *bytecode.Refusal), release func(*bytecode.Library)) (*bytecode.Library, string) {
	if why := differs(image, other); why != "" {
		return nil, why
	}
	lib, refusal := load(other)
	if refusal != nil {
		return nil, refusal.Log
	}
	for name, k := range lib.Kernels {
		if k.Unsupported != "" {
			release(lib)
			return nil, name + ": " + k.Unsupported
		}
	}
	return lib, ""
}

// loaded tells of a library.
func (s *Session) loaded(lib *bytecode.Library, told debugwire.Loaded) {
	s.mu.Lock()
	s.images++
	told.Image = s.images
	s.byName[told.Image] = lib.Kernels
	for _, k := range lib.Kernels {
		s.kernels[k] = told.Image
	}
	s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(lib.Kernels)) {
		told.Kernels = append(told.Kernels, describe(lib.Kernels[name]))
	}
	for _, v := range lib.Globals() {
		told.Globals = append(told.Globals, debugwire.Variable{Name: v.Name, Source: bytecode.SourceName(v.Name), Space: v.Space.String(), Address: v.Address, Bytes: v.Bytes})
	}
	s.conn.Call(debugwire.CallLoaded, told, nil) // if that fails, the process is about to end
}

func (s *Session) began(l *stops.Launch) {
	s.conn.Call(debugwire.CallBegan, s.describeLaunch(l), nil)
}

func (s *Session) ended(l *stops.Launch) {
	s.conn.Call(debugwire.CallEnded, s.describeLaunch(l), nil)
}

func (s *Session) describeLaunch(l *stops.Launch) debugwire.Launch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return debugwire.Launch{
		Number: l.Number, Image: s.kernels[l.Kernel], Kernel: l.Kernel.Name, Grid: debugwire.Dim3(l.Config.Grid), Block: debugwire.Dim3(l.Config.Block),
		SharedBytes: uint32(l.Config.SharedBytes), Params: l.Params,
	}
}

// stopped tells that a launch has stopped, and waits until it may go on.
func (s *Session) stopped(stop *stops.Stop) stops.Resume {
	s.mu.Lock()
	s.launch = stop.Launch
	s.mu.Unlock()
	told := debugwire.Stop{
		Launch: stop.Launch.Number, Reason: stop.Reason, Moment: debugwire.Moment(stop.Moment), At: debugwire.Lane{Block: debugwire.Dim3(stop.Block), Warp: stop.Warp, Lane: stop.Lane},
		PC: stop.PC, Mask: stop.Mask, Active: stop.Active, Text: stop.Text, Access: describeAccess(stop.Access), Stepped: stop.Stepped, Ended: stop.Ended,
	}
	var resume debugwire.Resume
	s.conn.Call(debugwire.CallStopped, told, &resume)
	s.mu.Lock()
	s.launch = nil
	s.mu.Unlock()
	return stops.Resume{Kind: steps[resume.Step], ByWarp: resume.ByWarp, Block: driver.Dim3(resume.Of.Block), Warp: resume.Of.Warp, Lane: resume.Of.Lane}
}

var steps = map[string]stops.StepKind{
	"instruction": stops.StepInstruction, "into": stops.StepInto, "over": stops.StepOver, "out": stops.StepOut, "keep": stops.KeepStep,
}

// windows are those of debugwire.Hello.
var windows = map[string]uint64{
	bytecode.Shared.String(): memory.SharedWindow << memory.OffsetBits, bytecode.Local.String(): memory.LocalWindow << memory.OffsetBits,
	bytecode.Param.String(): memory.ParamWindow << memory.OffsetBits,
}

var errRuns = errors.New("no launch is stopped")

// inspected returns the launch that is stopped.
func (s *Session) inspected() (*stops.Launch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.launch == nil {
		return nil, errRuns
	}
	return s.launch, nil
}

// answer answers a call of the debugger.
func (s *Session) answer(call string, body json.RawMessage) (any, error) {
	switch call {
	case debugwire.CallBreakpoints:
		return debugwire.Handle(body, s.setBreakpoints)
	case debugwire.CallWatch:
		return debugwire.Handle(body, s.setWatchpoints)
	case debugwire.CallTarget:
		return debugwire.Handle(body, func(m debugwire.Moment) (any, error) {
			s.debugger.SetTarget(stops.Moment(m))
			return nil, nil
		})
	case debugwire.CallPause:
		s.debugger.Pause()
		return nil, nil
	case debugwire.CallTrace:
		return debugwire.Handle(body, func(t debugwire.Trace) (any, error) {
			s.debugger.Trace(t.Launch, stops.Resume{ByWarp: t.ByWarp, Block: driver.Dim3(t.Of.Block), Warp: t.Of.Warp, Lane: t.Of.Lane})
			return nil, nil
		})
	case debugwire.CallEarlier:
		instruction, line := s.debugger.Earlier()
		return debugwire.Earlier{Instruction: instruction, Line: line}, nil
	case debugwire.CallLastWrite:
		return describeAccess(s.debugger.Written()), nil
	}
	l, err := s.inspected()
	if err != nil {
		return nil, err
	}
	switch call {
	case debugwire.CallWarps:
		return warps(l), nil
	case debugwire.CallFrames:
		return debugwire.Handle(body, func(at debugwire.Lane) ([]debugwire.Frame, error) { return frames(l, at) })
	case debugwire.CallRegister:
		return debugwire.Handle(body, func(r debugwire.Register) (any, error) {
			return l.Inspector.Register(driver.Dim3(r.Of.Block), r.Of.Warp, r.Of.Lane, r.Index, r.Predicate, r.Frame)
		})
	case debugwire.CallRead:
		return debugwire.Handle(body, func(m debugwire.Memory) ([]byte, error) {
			space, err := spaceOf(m.Space)
			if err != nil {
				return nil, err
			}
			return l.Inspector.Read(driver.Dim3(m.Of.Block), m.Of.Warp, m.Of.Lane, space, m.Address, m.Bytes)
		})
	case debugwire.CallAbsolute:
		return debugwire.Handle(body, func(m debugwire.Memory) (debugwire.Memory, error) {
			space, err := spaceOf(m.Space)
			if err != nil {
				return m, err
			}
			space, addr, block, err := l.Inspector.Absolute(driver.Dim3(m.Of.Block), m.Of.Warp, m.Of.Lane, space, m.Address)
			m.Space, m.Address, m.Of.Block = space.String(), addr, debugwire.Dim3(block)
			return m, err
		})
	}
	return nil, fmt.Errorf("call %q is not known", call)
}

func (s *Session) setBreakpoints(b debugwire.Breakpoints) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, k := range s.byName[b.Image] {
		s.debugger.SetBreakpoints(k, b.Kernels[name])
	}
	return nil, nil
}

func (s *Session) setWatchpoints(list []debugwire.Watchpoint) (any, error) {
	var watchpoints []*stops.Watchpoint
	for _, w := range list {
		space, err := spaceOf(w.Space)
		if err != nil && !w.IsRegister {
			return nil, err
		}
		watchpoints = append(watchpoints, &stops.Watchpoint{
			ID: w.ID, Space: space, Address: w.Address, Bytes: w.Bytes, Reads: w.Reads, Writes: w.Writes, Logs: w.Logs,
			Kernel: w.Kernel, Block: driver.Dim3(w.Of.Block), Warp: w.Of.Warp, Lane: w.Of.Lane, IsRegister: w.IsRegister, Register: w.Register,
		})
	}
	s.debugger.SetWatchpoints(watchpoints)
	return nil, nil
}

// spaceOf returns the state space of a name.
func spaceOf(name string) (bytecode.Space, error) {
	for s := bytecode.Generic; s <= bytecode.Param; s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("there is no state space %q", name)
}
