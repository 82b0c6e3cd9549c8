package debugger

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/diag"
)

// Filters of exceptions.
const (
	filterReports = "reports"
	filterFaults  = "faults"
)

// request answers a request, and reports whether the session goes on.
func (s *session) request(m dap.Message) bool {
	switch r := m.(type) {
	case *dap.InitializeRequest:
		s.initialize(r)
	case *dap.LaunchRequest:
		s.launchProgram(&r.Request, r.Arguments)
	case *dap.AttachRequest:
		s.answer(&r.Request, nil, fmt.Errorf("the debugger starts programs: %w", diag.Do(`use "request": "launch", for a test with "mode": "test"`)))
	case *dap.ConfigurationDoneRequest:
		s.configured(r)
	case *dap.SetBreakpointsRequest:
		s.setBreakpoints(r)
	case *dap.SetFunctionBreakpointsRequest:
		s.setFunctionBreakpoints(r)
	case *dap.SetExceptionBreakpointsRequest:
		s.mu.Lock()
		clear(s.stops)
		for _, filter := range r.Arguments.Filters {
			s.stops[filter] = true
		}
		s.mu.Unlock()
		s.answer(&r.Request, &dap.SetExceptionBreakpointsResponse{}, nil)
	case *dap.DataBreakpointInfoRequest:
		body, err := s.dataBreakpointInfo(&r.Arguments)
		s.answer(&r.Request, &dap.DataBreakpointInfoResponse{Body: body}, err)
	case *dap.SetDataBreakpointsRequest:
		s.setDataBreakpoints(r)
	case *dap.ThreadsRequest:
		list := s.listThreads()
		s.answer(&r.Request, &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: list}}, nil)
	case *dap.StackTraceRequest:
		body, err := s.stackTrace(&r.Arguments)
		s.answer(&r.Request, &dap.StackTraceResponse{Body: body}, err)
	case *dap.ScopesRequest:
		list, err := s.scopes(r.Arguments.FrameId)
		s.answer(&r.Request, &dap.ScopesResponse{Body: dap.ScopesResponseBody{Scopes: list}}, err)
	case *dap.VariablesRequest:
		list, err := s.variables(&r.Arguments)
		s.answer(&r.Request, &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: list}}, err)
	case *dap.EvaluateRequest:
		s.evaluate(r)
	case *dap.SourceRequest:
		body, err := s.source(&r.Arguments)
		s.answer(&r.Request, &dap.SourceResponse{Body: body}, err)
	case *dap.ExceptionInfoRequest:
		body, err := s.exceptionInfo()
		s.answer(&r.Request, &dap.ExceptionInfoResponse{Body: body}, err)
	case *dap.ContinueRequest:
		err := s.resume(debugwire.Resume{})
		s.answer(&r.Request, &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, err)
	case *dap.NextRequest:
		s.answer(&r.Request, &dap.NextResponse{}, s.step("over", r.Arguments.ThreadId, r.Arguments.Granularity))
	case *dap.StepInRequest:
		s.answer(&r.Request, &dap.StepInResponse{}, s.step("into", r.Arguments.ThreadId, r.Arguments.Granularity))
	case *dap.StepOutRequest:
		s.answer(&r.Request, &dap.StepOutResponse{}, s.step("out", r.Arguments.ThreadId, ""))
	case *dap.StepBackRequest:
		s.answer(&r.Request, &dap.StepBackResponse{}, s.stepBack(r.Arguments.ThreadId, r.Arguments.Granularity))
	case *dap.ReverseContinueRequest:
		s.answer(&r.Request, &dap.ReverseContinueResponse{}, s.reverseContinue())
	case *dap.PauseRequest:
		s.answer(&r.Request, &dap.PauseResponse{}, s.pause())
	case *dap.TerminateRequest:
		s.answer(&r.Request, &dap.TerminateResponse{}, nil)
		s.endProgram()
	case *dap.DisconnectRequest:
		s.endProgram()
		s.answer(&r.Request, &dap.DisconnectResponse{}, nil)
		return false
	case dap.RequestMessage:
		s.answer(r.GetRequest(), nil, fmt.Errorf("the debugger has no request %q", r.GetRequest().Command))
	}
	return true
}

// pause stops the launch that runs, or the next one.
func (s *session) pause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.target == nil:
		return errors.New("no program runs")
	case s.stop != nil:
		return errors.New("a kernel is stopped")
	}
	return s.target.call(debugwire.CallPause, nil, nil)
}

// endProgram ends the program, if one runs. The client hears that it has ended.
func (s *session) endProgram() {
	s.mu.Lock()
	t := s.target
	s.killed = true
	s.mu.Unlock()
	if t != nil {
		t.kill()
	}
}

func (s *session) initialize(r *dap.InitializeRequest) {
	response := &dap.InitializeResponse{}
	response.Body = dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true, SupportsLogPoints: true,
		SupportsEvaluateForHovers: true, SupportsStepBack: true, SupportsExceptionInfoRequest: true, SupportsTerminateRequest: true,
		SupportsDataBreakpoints: true, SupportsSteppingGranularity: true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{
			{Filter: filterReports, Label: "Reports of checks", Description: "Stop at the instruction that a check reports: a race, an undefined value, an access beyond an array", Default: true},
			{Filter: filterFaults, Label: "Faults", Description: "Stop at the instruction that ends a kernel", Default: true},
		},
	}
	s.answer(&r.Request, response, nil)
	s.send(&dap.InitializedEvent{Event: event("initialized")})
}

// launchProgram builds the program. It starts when the client has set its breakpoints.
func (s *session) launchProgram(r *dap.Request, arguments json.RawMessage) {
	err := s.config.read(arguments)
	if err == nil && s.program != nil {
		err = errors.New("the session has a program")
	}
	if err == nil {
		s.program, err = build(s.building, &s.config, output{s, "stderr", nil})
	}
	s.refused = err != nil
	if err == nil {
		s.origins, s.made = originsOf(s.program.packages), make(map[string]compiled)
		if outside := s.program.outside(&s.config); outside != "" {
			s.say("%s", outside)
		}
	}
	s.answer(r, &dap.LaunchResponse{}, err)
	if err != nil {
		s.send(&dap.TerminatedEvent{Event: event("terminated")})
	}
}

func (s *session) configured(r *dap.ConfigurationDoneRequest) {
	var err error
	switch {
	case s.refused: // the client has heard why
	case s.program == nil:
		err = errors.New("no program was launched")
	case s.started:
		err = errors.New("the program has started")
	default:
		s.started = true
		s.mu.Lock()
		err = s.start()
		s.mu.Unlock()
	}
	s.answer(&r.Request, &dap.ConfigurationDoneResponse{}, err)
}

// source returns the text of an image, for code that has no other source.
func (s *session) source(a *dap.SourceArguments) (body dap.SourceResponseBody, err error) {
	reference := a.SourceReference
	if a.Source != nil && a.Source.SourceReference != 0 {
		reference = a.Source.SourceReference
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	im := s.images[uint64(reference)]
	if im == nil {
		return body, fmt.Errorf("there is no image %d", reference)
	}
	body.Content = string(im.Text)
	return body, nil
}

// sourceOf returns the source and line of an instruction: the PTX, if the image names no file.
func (s *session) sourceOf(im *image, k *debugwire.Kernel, pc int32) (*dap.Source, int) {
	if path, line := im.place(k, pc); path != "" {
		return &dap.Source{Name: filepath.Base(path), Path: path}, line
	}
	name := fmt.Sprintf("image%d.ptx", im.Image)
	if pc < 0 || int(pc) >= len(k.Places) {
		return &dap.Source{Name: name, SourceReference: int(im.Image)}, 0
	}
	return &dap.Source{Name: name, SourceReference: int(im.Image)}, k.Places[pc].PTX
}
