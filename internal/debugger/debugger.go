// Package debugger debugs kernels on simulated devices for an editor: it speaks the Debug Adapter Protocol with that, and debugwire with
// the program, which it builds and runs. It knows sources, breakpoints, threads and what variables are. What instructions do it does not know:
// the program's simulated device stops, steps and reads memory.
//
// Start with Serve.
package debugger

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/diag"
)

// Serve debugs for the client that writes requests to in and reads from out, until the client disconnects, in ends or ctx is
// done. Then no process is left.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	building, stopBuilding := context.WithCancel(ctx)
	defer stopBuilding()
	s := &session{ctx: ctx, building: building, out: out, images: make(map[uint64]*image), threads: make(map[debugwire.Lane]int), breaks: make(map[site][]*breakpoint), stops: map[string]bool{filterReports: true, filterFaults: true}}
	defer s.close()
	defer cancel()
	requests := make(chan dap.Message)
	failed := make(chan error, 1)
	go func() {
		from := bufio.NewReader(in)
		for {
			m, err := dap.ReadProtocolMessage(from)
			if unknown := new(dap.DecodeProtocolMessageFieldError); errors.As(err, &unknown) {
				s.refuse(unknown)
				continue
			}
			if err != nil {
				failed <- err
				cancel()
				return
			}
			if _, is := m.(*dap.DisconnectRequest); is { // which a request that builds must not hold up
				stopBuilding()
			}
			select {
			case requests <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			select {
			case err := <-failed:
				return ending(err)
			default:
				return context.Cause(ctx)
			}
		case m := <-requests:
			if !s.request(m) {
				return nil
			}
		}
	}
}

// ending returns what is wrong with the end of a session because of an error of reading: nothing, if the client is gone.
func ending(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return diag.FlagValue.Errorf("what was read is no message of the Debug Adapter Protocol: %w: %w", err, diag.Do("let an editor start the debugger: docs/debugging.md has the settings"))
}

// A session is what a client debugs.
type session struct {
	ctx      context.Context
	building context.Context // ends when the client disconnects, too
	out      io.Writer

	writing sync.Mutex
	seq     int
	quiet   atomic.Bool // the program runs again to a point where it was
	noTests atomic.Bool // the program is a test binary, and has no test of the name that it was given

	config  Configuration
	program *program
	origins map[string]*origin
	made    map[string]compiled // images with debug information, by the hash of the others
	started bool
	refused bool // the launch that the client wanted has failed

	mu        sync.Mutex // guards what follows
	target    *target
	undefined uint64 // what a register holds that nothing was written to
	windows   map[string]uint64
	images    map[uint64]*image
	launch    debugwire.Launch
	stop      *stop
	replay    *replay
	threads   map[debugwire.Lane]int
	handles   []handle

	lines     []*breakpoint
	functions []*breakpoint
	data      []*breakpoint
	breaks    map[site][]*breakpoint
	ids       int
	stops     map[string]bool // by the filter of exceptions
	entered   bool
	launched  bool // a kernel was launched
	byLane    bool // the step that is under way is one lane's
	killed    bool // the client has ended the program
	dismissed bool // the session is over
}

// compiled is an image with debug information, or why there is none.
type compiled struct {
	text []byte
	err  error
}

// A handle is what a reference that the client has stands for while the program is stopped.
type handle struct {
	frame *frame
	list  func(start, count int) ([]dap.Variable, error)
	name  func(child string) string // what an expression calls a child
}

// close ends the program, if one runs, and removes what was built.
func (s *session) close() {
	s.mu.Lock()
	t := s.target
	s.dismissed = true
	s.mu.Unlock()
	if t != nil {
		t.kill()
	}
	if s.program != nil {
		s.program.remove()
	}
}

// send writes a message. A client that is gone is seen where requests are read.
func (s *session) send(m dap.Message) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.seq++
	switch m := m.(type) {
	case dap.EventMessage:
		m.GetEvent().Type, m.GetEvent().Seq = "event", s.seq
	case dap.ResponseMessage:
		m.GetResponse().Type, m.GetResponse().Seq = "response", s.seq
	}
	dap.WriteProtocolMessage(s.out, m)
}

// event returns the head of an event.
func event(name string) dap.Event { return dap.Event{Event: name} }

// answer sends the response to a request.
func (s *session) answer(to *dap.Request, response dap.ResponseMessage, err error) {
	if err != nil {
		failed := &dap.ErrorResponse{}
		failed.Message = "failed"
		failed.Body.Error = &dap.ErrorMessage{Id: 1, Format: err.Error(), ShowUser: true}
		response = failed
	}
	head := response.GetResponse()
	head.RequestSeq, head.Command, head.Success = to.Seq, to.Command, err == nil
	s.send(response)
}

// refuse answers a request that go-dap does not know.
func (s *session) refuse(e *dap.DecodeProtocolMessageFieldError) {
	s.answer(&dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: e.Seq}, Command: e.FieldValue}, nil, fmt.Errorf("the debugger has no request %q", e.FieldValue))
}

// say shows a line in the client's debug console.
func (s *session) say(format string, args ...any) {
	e := &dap.OutputEvent{Event: event("output")}
	e.Body.Category, e.Body.Output = "console", fmt.Sprintf(format, args...)+"\n"
	s.send(e)
}

// An output is what a program prints.
type output struct {
	session  *session
	category string
	noTests  *atomic.Bool // set when a test binary says that it has no test to run; or nil
}

// warning is what a test binary prints to its standard error if no test has the name that it was given.
const warning = "testing: warning: no tests to run"

// Write shows what a program prints, unless it runs again to a point where it was.
func (o output) Write(p []byte) (int, error) {
	if o.noTests != nil && bytes.Contains(p, []byte(warning)) {
		o.noTests.Store(true)
	}
	if !o.session.quiet.Load() {
		e := &dap.OutputEvent{Event: event("output")}
		e.Body.Category, e.Body.Output = o.category, string(p)
		o.session.send(e)
	}
	return len(p), nil
}

// start starts the program. s.mu is held.
func (s *session) start() error {
	clear(s.images)
	clear(s.breaks)
	s.launch, s.stop, s.handles = debugwire.Launch{}, nil, nil
	for _, b := range s.functions {
		b.stopped = 0
	}
	var t *target
	ready := make(chan struct{})
	t, err := start(s.ctx, s.program, output{s, "stdout", nil}, output{s, "stderr", &s.noTests}, func(call string, body json.RawMessage) (any, error) {
		<-ready
		return s.called(t, call, body)
	})
	s.target = t
	close(ready)
	if err != nil {
		return err
	}
	go s.watch(t)
	return nil
}

// watch tells the client when the program has ended.
func (s *session) watch(t *target) {
	<-t.ended
	s.mu.Lock()
	if s.target != t || s.dismissed {
		s.mu.Unlock()
		return
	}
	s.dismissed, s.target = true, nil
	again, killed, launched, loaded := s.replay, s.killed, s.launched, len(s.images) > 0
	s.replay, s.stop = nil, nil
	if t.err == nil && !killed && again == nil {
		s.sayUnbound()
	}
	clear(s.images)
	s.mu.Unlock()
	connected := false
	select {
	case <-t.connected:
		connected = true
	default:
	}
	switch {
	case killed:
	case t.err != nil:
		s.say("the program does not run: %v", t.err)
	case again != nil:
		s.say("the program has ended before it came to the same point again: what it does varies from run to run")
	case t.code != 0: // the program says itself what is wrong
	case s.noTests.Load() && s.config.Test != "":
		s.say("no test is called %s", s.config.Test)
	case !launched && !s.program.asksHelp():
		s.say("%s", s.program.idle(connected, loaded))
	}
	if !killed && t.err == nil {
		exited := &dap.ExitedEvent{Event: event("exited")}
		exited.Body.ExitCode = t.code
		s.send(exited)
	}
	s.send(&dap.TerminatedEvent{Event: event("terminated")})
}

// called answers a call of the program t.
func (s *session) called(t *target, call string, body json.RawMessage) (any, error) {
	s.mu.Lock()
	current := s.target == t
	s.mu.Unlock()
	if !current {
		return nil, errors.New("the program is ending")
	}
	switch call {
	case debugwire.CallHello:
		return debugwire.Handle(body, func(h debugwire.Hello) (any, error) { return nil, s.hello(t, h) })
	case debugwire.CallImage:
		return debugwire.Handle(body, s.image)
	case debugwire.CallLoaded:
		return debugwire.Handle(body, func(l debugwire.Loaded) (any, error) { return nil, s.loaded(t, l) })
	case debugwire.CallBegan:
		return debugwire.Handle(body, func(l debugwire.Launch) (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.launch, s.launched = l, true
			return nil, nil
		})
	case debugwire.CallEnded:
		return nil, nil
	case debugwire.CallStopped:
		return debugwire.Handle(body, func(at debugwire.Stop) (debugwire.Resume, error) { return s.stopped(t, at), nil })
	}
	return nil, fmt.Errorf("call %q is not known", call)
}
