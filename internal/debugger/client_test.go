package debugger_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugger"
)

// root is the folder of the module, in which editors start the debugger.
var root = func() string {
	path, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return path
}()

// A client is an editor: it speaks the Debug Adapter Protocol over pipes, and plays sessions.
type client struct {
	t      *testing.T
	to     *io.PipeWriter
	served chan error // what Serve returns
	in     chan dap.Message

	seq     int
	log     strings.Builder
	thread  int // that the client looks at
	frame   int
	verbose bool
	points  map[string][]dap.SourceBreakpoint
	data    []dap.DataBreakpoint
	kernels []dap.FunctionBreakpoint
}

// newClient returns a client of a new debugger.
func newClient(t *testing.T) *client {
	t.Chdir(root)
	requests, to := io.Pipe()
	from, answers := io.Pipe()
	c := &client{t: t, to: to, served: make(chan error, 1), in: make(chan dap.Message, 100), points: make(map[string][]dap.SourceBreakpoint)}
	go func() {
		err := debugger.Serve(t.Context(), requests, answers)
		answers.Close()
		c.served <- err
	}()
	go func() {
		defer close(c.in)
		reader := bufio.NewReader(from)
		for {
			m, err := dap.ReadProtocolMessage(reader)
			if err != nil {
				return
			}
			c.in <- m
		}
	}()
	t.Cleanup(func() {
		to.Close()
		for range c.in { // until it has ended, and left nothing
		}
	})
	return c
}

// patience is how long a client waits for a message: a program is compiled meanwhile.
const patience = 2 * time.Minute

// next returns the next message, or nil at the end.
func (c *client) next() dap.Message {
	select {
	case m := <-c.in:
		return m
	case <-time.After(patience):
		require.FailNow(c.t, "no message", "after\n%s", c.log.String())
		return nil
	}
}

// request sends a request and returns its response. Events that come before it are told.
func (c *client) request(command string, arguments any) dap.Message {
	c.seq++
	body, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	require.NoError(c.t, err)
	require.NoError(c.t, dap.WriteBaseMessage(c.to, body))
	for {
		switch m := c.next().(type) {
		case nil:
			require.FailNow(c.t, "the debugger has ended", "at %s, after\n%s", command, c.log.String())
		case dap.ResponseMessage:
			if m.GetResponse().RequestSeq == c.seq {
				return m
			}
		case dap.EventMessage:
			c.tell(m)
		}
	}
}

// ask is request for responses of a type; a failure is told.
func ask[Response dap.Message](c *client, command string, arguments any) (response Response, ok bool) {
	m := c.request(command, arguments)
	if failed, is := m.(*dap.ErrorResponse); is {
		c.say("%s", failed.Body.Error.Format)
		return response, false
	}
	response, ok = m.(Response)
	require.True(c.t, ok, "%T", m)
	return response, true
}

func (c *client) say(format string, args ...any) { fmt.Fprintf(&c.log, format+"\n", args...) }

// tell notes an event, and reports whether the program waits or has ended.
func (c *client) tell(e dap.EventMessage) bool {
	switch e := e.(type) {
	case *dap.OutputEvent:
		if e.Body.Category == "console" || c.verbose {
			c.say("%s: %s", e.Body.Category, strings.TrimSpace(e.Body.Output))
		}
	case *dap.StoppedEvent:
		c.thread, c.frame = e.Body.ThreadId, 0
		c.say("stopped: %s%s%s", e.Body.Reason, colon(e.Body.Description), colon(e.Body.Text))
		assert.LessOrEqual(c.t, len(e.Body.HitBreakpointIds), 1, "each breakpoint is named once, and no two are at one place in the sessions")
		c.where()
		return true
	case *dap.ExitedEvent:
		c.say("the program has ended: exit code %d", e.Body.ExitCode)
	case *dap.TerminatedEvent:
		return true
	}
	return false
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// wait waits until the program waits or has ended.
func (c *client) wait() {
	for {
		m := c.next()
		require.NotNil(c.t, m, "the debugger has ended after\n%s", c.log.String())
		if e, ok := m.(dap.EventMessage); ok && c.tell(e) {
			return
		}
	}
}

// where tells the calls of the thread that the client looks at.
func (c *client) where() {
	names := make(map[int]string)
	if threads, ok := ask[*dap.ThreadsResponse](c, "threads", nil); ok {
		for _, thread := range threads.Body.Threads {
			names[thread.Id] = thread.Name
		}
	}
	stack, ok := ask[*dap.StackTraceResponse](c, "stackTrace", dap.StackTraceArguments{ThreadId: c.thread})
	if !ok {
		return
	}
	for n, f := range stack.Body.StackFrames {
		at := fmt.Sprintf("%s at %s:%d", f.Name, f.Source.Name, f.Line)
		if n == 0 {
			c.frame = f.Id
			at += " in " + names[c.thread]
		} else if n == 3 {
			c.say("  … %d in all", len(stack.Body.StackFrames))
			break
		} else {
			at = "  called by " + at
		}
		c.say("%s", at)
	}
}

// scope tells the variables of a group.
func (c *client) scope(name string) {
	scopes, ok := ask[*dap.ScopesResponse](c, "scopes", dap.ScopesArguments{FrameId: c.frame})
	if !ok {
		return
	}
	for _, s := range scopes.Body.Scopes {
		if s.Name != name {
			continue
		}
		list, ok := ask[*dap.VariablesResponse](c, "variables", dap.VariablesArguments{VariablesReference: s.VariablesReference})
		if !ok {
			return
		}
		for _, v := range list.Body.Variables {
			c.say("%s", strings.TrimSpace(fmt.Sprintf("%s %s = %s", v.Type, v.Name, v.Value)))
		}
		return
	}
	c.say("there is no %s", name)
}

// play plays a session, whose commands are the lines that begin with >, and returns it with what happens.
func (c *client) play(session string) string {
	for line := range strings.Lines(session) {
		command, is := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !is {
			continue
		}
		c.say("> %s", command)
		c.do(command)
	}
	return strings.ReplaceAll(c.log.String(), root+string(filepath.Separator), "")
}

var breakpointAt = regexp.MustCompile(`^(\S+):(\d+)( if (.*)| log (.*))?$`)

// do does one command of a session.
func (c *client) do(command string) {
	word, rest, _ := strings.Cut(command, " ")
	moves := func(request string, arguments any) {
		if m := c.request(request, arguments); m != nil {
			if failed, is := m.(*dap.ErrorResponse); is {
				c.say("%s", failed.Body.Error.Format)
				return
			}
			c.wait()
		}
	}
	granularity := dap.SteppingGranularity(rest)
	switch word {
	case "launch":
		c.request("initialize", dap.InitializeRequestArguments{AdapterID: "cudagen", LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path"})
		var arguments map[string]any
		require.NoError(c.t, json.Unmarshal([]byte(rest), &arguments))
		ask[*dap.LaunchResponse](c, "launch", arguments)
	case "break":
		m := breakpointAt.FindStringSubmatch(rest)
		require.NotNil(c.t, m, rest)
		path := filepath.Join(root, "example/bugs", m[1])
		line, _ := strconv.Atoi(m[2])
		c.points[path] = append(c.points[path], dap.SourceBreakpoint{Line: line, Condition: m[4], LogMessage: m[5]})
		if set, ok := ask[*dap.SetBreakpointsResponse](c, "setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: path}, Breakpoints: c.points[path]}); ok {
			if last := set.Body.Breakpoints[len(set.Body.Breakpoints)-1]; !last.Verified && last.Line == 0 {
				c.say("%s", last.Message)
			}
		}
	case "clear":
		for path := range c.points {
			ask[*dap.SetBreakpointsResponse](c, "setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: path}, Breakpoints: []dap.SourceBreakpoint{}})
		}
		clear(c.points)
		c.kernels, c.data = nil, nil
		ask[*dap.SetFunctionBreakpointsResponse](c, "setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{}})
		ask[*dap.SetDataBreakpointsResponse](c, "setDataBreakpoints", dap.SetDataBreakpointsArguments{Breakpoints: []dap.DataBreakpoint{}})
	case "kernel":
		c.kernels = append(c.kernels, dap.FunctionBreakpoint{Name: rest})
		ask[*dap.SetFunctionBreakpointsResponse](c, "setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: c.kernels})
	case "data", "data-read":
		info, ok := ask[*dap.DataBreakpointInfoResponse](c, "dataBreakpointInfo", dap.DataBreakpointInfoArguments{Name: rest, FrameId: c.frame})
		if !ok {
			return
		}
		id, ok := info.Body.DataId.(string)
		if !ok {
			c.say("%s", info.Body.Description)
			return
		}
		b := dap.DataBreakpoint{DataId: id, AccessType: "write"}
		if word == "data-read" {
			b.AccessType = "readWrite"
		}
		c.data = append(c.data, b)
		ask[*dap.SetDataBreakpointsResponse](c, "setDataBreakpoints", dap.SetDataBreakpointsArguments{Breakpoints: c.data})
	case "exceptions":
		ask[*dap.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{Filters: strings.Fields(rest)})
	case "run":
		moves("configurationDone", nil)
	case "continue":
		moves("continue", dap.ContinueArguments{ThreadId: c.thread})
	case "next":
		moves("next", dap.NextArguments{ThreadId: c.thread, Granularity: granularity})
	case "into":
		moves("stepIn", dap.StepInArguments{ThreadId: c.thread, Granularity: granularity})
	case "out":
		moves("stepOut", dap.StepOutArguments{ThreadId: c.thread})
	case "back":
		moves("stepBack", dap.StepBackArguments{ThreadId: c.thread, Granularity: granularity})
	case "reverse":
		moves("reverseContinue", dap.ReverseContinueArguments{ThreadId: c.thread})
	case "threads":
		if threads, ok := ask[*dap.ThreadsResponse](c, "threads", nil); ok {
			for _, thread := range threads.Body.Threads {
				if rest == "all" || !strings.Contains(thread.Name, " lane ") {
					c.say("%s", thread.Name)
				}
			}
		}
	case "thread":
		threads, ok := ask[*dap.ThreadsResponse](c, "threads", nil)
		require.True(c.t, ok)
		for _, thread := range threads.Body.Threads {
			if strings.HasSuffix(thread.Name, " "+rest) || strings.Contains(thread.Name, " "+rest+",") {
				c.thread = thread.Id
				c.where()
				return
			}
		}
		c.say("there is no thread %s", rest)
	case "frame":
		stack, ok := ask[*dap.StackTraceResponse](c, "stackTrace", dap.StackTraceArguments{ThreadId: c.thread})
		n, err := strconv.Atoi(rest)
		require.NoError(c.t, err)
		require.True(c.t, ok && n < len(stack.Body.StackFrames))
		c.frame = stack.Body.StackFrames[n].Id
	case "locals":
		c.scope("Locals")
	case "parameters":
		c.scope("Parameters of the kernel")
	case "shared":
		c.scope("Shared memory")
	case "registers":
		c.scope("Registers")
	case "print":
		if v, ok := ask[*dap.EvaluateResponse](c, "evaluate", dap.EvaluateArguments{Expression: rest, FrameId: c.frame, Context: "watch"}); ok {
			c.say("%s %s", v.Body.Type, v.Body.Result)
		}
	case "who":
		if v, ok := ask[*dap.EvaluateResponse](c, "evaluate", dap.EvaluateArguments{Expression: command, FrameId: c.frame, Context: "repl"}); ok {
			c.say("%s", v.Body.Result)
		}
	case "why":
		if v, ok := ask[*dap.ExceptionInfoResponse](c, "exceptionInfo", dap.ExceptionInfoArguments{ThreadId: c.thread}); ok {
			c.say("%s", v.Body.Description)
		}
	case "pause":
		moves("pause", dap.PauseArguments{ThreadId: c.thread})
	case "end":
		ask[*dap.DisconnectResponse](c, "disconnect", nil)
		require.NoError(c.t, <-c.served)
	default:
		require.FailNow(c.t, "no such command", command)
	}
}
