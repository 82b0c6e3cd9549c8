package debug

import (
	"encoding/json"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// source has a kernel whose lanes fork, call a function that calls itself, and write shared and local memory. Each instruction
// is a line of kernel.cu of its own, of its number here, but for those of one line in the loop.
const source = `.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 total;
.func (.param .b32 out) sum(.param .b32 n) {
.reg .b32 %r<5>; .reg .pred %p<2>;
.loc 1 7 0
ld.param.u32 %r1, [n];
.loc 1 9 0
mov.u32 %r2, 0;
.loc 1 11 0
setp.eq.u32 %p1, %r1, 0;
@%p1 bra DONE;
.loc 1 14 0
sub.u32 %r3, %r1, 1;
{ .param .b32 a, b; st.param.b32 [a], %r3; call.uni (b), sum, (a); ld.param.b32 %r4, [b]; }
.loc 1 17 0
add.u32 %r2, %r4, %r1;
DONE:
.loc 1 20 0
st.param.b32 [out], %r2;
ret;
}
.entry k(.param .u64 to, .param .u32 n)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
.shared .align 4 .u32 tile[64];
.loc 1 28 0
mov.u32 %r1, %tid.x;
.loc 1 30 0
shl.b32 %r2, %r1, 2;
mov.u32 %r3, tile;
add.u32 %r3, %r3, %r2;
.loc 1 34 0
st.shared.u32 [%r3], %r1;
.loc 1 36 0
setp.lt.u32 %p1, %r1, 4;
@!%p1 bra ELSE;
.loc 1 39 0
{ .param .b32 a, b; st.param.b32 [a], %r1; call.uni (b), sum, (a); ld.param.b32 %r4, [b]; }
bra.uni BOTH;
ELSE:
.loc 1 43 0
mov.u32 %r4, 100;
BOTH:
.loc 1 46 0
ld.param.u64 %rd1, [to];
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
.loc 1 50 0
st.global.u32 [%rd1], %r4;
bar.sync 0;
.loc 1 53 0
ret;
}
.file 1 "kernel.cu"
`

// A client is the debugger's side of a connection.
type client struct {
	released int // libraries that were refused
	t        *testing.T
	conn     *debugwire.Conn
	loaded   debugwire.Loaded
	stops    chan debugwire.Stop
	resume   chan debugwire.Resume
	ended    chan struct{}
	other    []byte // replaces images

	fault *interp.Failure
	mem   memory.Memory
	out   uint64
}

// newClient returns a client of a session with an image loaded.
func newClient(t *testing.T, image, other string) (*client, *bytecode.Library, *Session) {
	c := &client{t: t, stops: make(chan debugwire.Stop), resume: make(chan debugwire.Resume), ended: make(chan struct{}), other: []byte(other)}
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close() })
	c.conn = debugwire.NewConn(here, c.called)
	s := newSession(there)
	lib, refused := s.Load([]byte(image), func(image []byte) (*bytecode.Library, *bytecode.Refusal) {
		return images.LoadNamed(bytecode.ImageName, image, &c.mem, 90)
	}, func(lib *bytecode.Library) {
		c.released++
		lib.Release(&c.mem)
	})
	require.Nil(t, refused)
	return c, lib, s
}

func (c *client) called(call string, body json.RawMessage) (any, error) {
	switch call {
	case debugwire.CallImage:
		return debugwire.Replacement{Text: c.other}, nil
	case debugwire.CallLoaded:
		return nil, json.Unmarshal(body, &c.loaded)
	case debugwire.CallStopped:
		var stop debugwire.Stop
		if err := json.Unmarshal(body, &stop); err != nil {
			return nil, err
		}
		c.stops <- stop
		return <-c.resume, nil
	}
	return nil, nil
}

// call calls the session.
func (c *client) call(call string, body, answer any) {
	c.t.Helper()
	require.NoError(c.t, c.conn.Call(call, body, answer))
}

// breakAt sets breakpoints at lines of the kernel k.
func (c *client) breakAt(lines ...int) {
	var pcs []int32
	k := c.loaded.Kernels[0]
	for pc, place := range k.Places {
		for _, line := range lines {
			if place.Line == line && (pc == 0 || k.Places[pc-1].Line != line) {
				pcs = append(pcs, int32(pc))
			}
		}
	}
	require.NotEmpty(c.t, pcs)
	c.call(debugwire.CallBreakpoints, debugwire.Breakpoints{Image: c.loaded.Image, Kernels: map[string][]int32{k.Name: pcs}}, nil)
}

// launch runs the kernel k with a block of threads, beside the test.
func (c *client) launch(lib *bytecode.Library, s *Session, threads uint32, checks interp.Checks) {
	k := lib.Kernels["k"]
	var ok bool
	c.out, ok = c.mem.Alloc(4*uint64(threads), memory.Allocation{})
	require.True(c.t, ok)
	params := make([]byte, k.ParamBytes)
	interp.WriteWord(params, c.out)
	cfg := driver.LaunchConfig{Grid: driver.Dim3{X: 2, Y: 1, Z: 1}, Block: driver.Dim3{X: threads, Y: 1, Z: 1}}
	checks.Debugger = s.Debugger()
	ended := make(chan struct{})
	c.ended = ended
	go func() {
		defer close(ended)
		c.fault = interp.Execute(k, &c.mem, cfg, interp.Alone(), params, new(atomic.Bool), 4, new(atomic.Uint64), checks).Fault
	}()
}

// stop waits for the next stop.
func (c *client) stop() debugwire.Stop {
	c.t.Helper()
	select {
	case s := <-c.stops:
		return s
	case <-c.ended:
		require.FailNow(c.t, "the launch has ended")
		return debugwire.Stop{}
	}
}

// line is the source line at which a stop is.
func (c *client) line(s debugwire.Stop) int { return c.loaded.Kernels[0].Places[s.PC].Line }

// step lets the launch go on from stop by a step of one lane, or of a warp, and returns where it stops.
func (c *client) step(kind string, byWarp bool, from debugwire.Stop) debugwire.Stop {
	c.t.Helper()
	c.resume <- debugwire.Resume{Step: kind, ByWarp: byWarp, Of: from.At}
	return c.stop()
}

// finish lets the launch run to its end.
func (c *client) finish() {
	c.t.Helper()
	c.call(debugwire.CallBreakpoints, debugwire.Breakpoints{Image: c.loaded.Image}, nil)
	c.call(debugwire.CallWatch, []debugwire.Watchpoint{}, nil)
	c.resume <- debugwire.Resume{}
	select {
	case s := <-c.stops:
		require.FailNow(c.t, "the launch has stopped", "%+v", s)
	case <-c.ended:
	}
}

// register returns a register of a lane, by its name in a function, in a frame.
func (c *client) register(at debugwire.Lane, function, name string, frame int) uint64 {
	c.t.Helper()
	for _, r := range c.loaded.Kernels[0].Registers {
		if r.Name == name && r.Function == function {
			var values []uint64
			c.call(debugwire.CallRegister, debugwire.Register{Of: at, Index: r.Index, Predicate: r.Type == "pred", Frame: frame}, &values)
			return values[at.Lane]
		}
	}
	require.FailNow(c.t, "no register", "%s of %q", name, function)
	return 0
}

// A launch stops in each warp of each block, knows registers and memory there, and its results are those without a debugger.
func TestBreakpoints(t *testing.T) {
	c, lib, s := newClient(t, source, "")
	c.breakAt(34)
	c.launch(lib, s, 64, interp.Checks{})
	for n := range 4 {
		at := c.stop()
		assert.Equal(t, "breakpoint", at.Reason)
		assert.Equal(t, 34, c.line(at))
		assert.Equal(t, debugwire.Lane{Block: debugwire.Dim3{X: uint32(n / 2)}, Warp: n % 2}, at.At)
		assert.Equal(t, ^uint32(0), at.Active)
		at.At.Lane = 7
		assert.EqualValues(t, 32*(n%2)+7, c.register(at.At, "", "%r1", 0))
		assert.Equal(t, uint64(simd.UndefinedWord), c.register(at.At, "", "%r4", 0), "nothing was written to it")
		if n == 1 {
			var tile []byte
			c.call(debugwire.CallRead, debugwire.Memory{Of: at.At, Space: "shared", Address: 4 * 7, Bytes: 4}, &tile)
			assert.Equal(t, []byte{7, 0, 0, 0}, tile)
			var warps []debugwire.Warp
			c.call(debugwire.CallWarps, nil, &warps)
			require.Len(t, warps, 2)
			assert.Contains(t, warps[0].Groups[0].Waits, "barrier 0, at which 32 of 64 threads have arrived")
			assert.Equal(t, at.PC, warps[1].Groups[0].PC)
		}
		if n < 3 {
			c.resume <- debugwire.Resume{}
		}
	}
	c.finish()
	assert.Nil(t, c.fault)
	results, _ := memory.BytesAt(c.out, 4*64)
	assert.Equal(t, []byte{0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 100, 0, 0, 0}, results[:20])
}

// A step of a lane ends where that lane comes to another line, one of a warp where any does. A step over a call does not stop in it.
func TestSteps(t *testing.T) {
	c, lib, s := newClient(t, source, "")
	c.breakAt(36)
	c.launch(lib, s, 32, interp.Checks{})
	at := c.stop()
	lines := func(kind string, byWarp bool, n int) (lines []int) {
		for range n {
			at = c.step(kind, byWarp, at)
			lines = append(lines, c.line(at))
		}
		return lines
	}
	at.At.Lane = 3
	c.breakAt(28)
	assert.Equal(t, []int{39}, lines("over", false, 1))
	assert.Equal(t, []int{7, 9, 11, 14, 7}, lines("into", false, 5))
	var frames []debugwire.Frame
	c.call(debugwire.CallFrames, at.At, &frames)
	require.Len(t, frames, 3)
	assert.Equal(t, []string{"sum", "sum", ""}, []string{frames[0].Function, frames[1].Function, frames[2].Function})
	assert.EqualValues(t, 3, c.register(at.At, "sum", "%r1", 1), "as the call has saved it")
	assert.Equal(t, []int{9}, lines("over", false, 1))
	assert.EqualValues(t, 2, c.register(at.At, "sum", "%r1", 0))
	assert.EqualValues(t, 3, c.register(at.At, "sum", "%r1", 1))
	assert.Equal(t, []int{14, 39}, lines("out", false, 2))
	assert.Equal(t, 3, at.At.Lane)
	assert.Equal(t, []int{46}, lines("over", false, 1))
	at = c.step("instruction", false, at)
	assert.Equal(t, 46, c.line(at))
	assert.Equal(t, []int{50, 53}, lines("over", false, 2))
	at = c.step("over", false, at)
	assert.True(t, at.Ended || at.Reason == "breakpoint", "%+v", at)
	assert.EqualValues(t, 1, at.At.Block.X, "the next block")
	assert.Equal(t, []int{30, 34, 36, 39, 43}, lines("over", true, 5), "lanes that fork are followed one after the other")
	c.finish()
	assert.Nil(t, c.fault)
}

// Lanes that fork are stepped through by warp, in the order in which they run.
func TestStepsOfAWarp(t *testing.T) {
	c, lib, s := newClient(t, source, "")
	c.breakAt(39, 43)
	c.launch(lib, s, 32, interp.Checks{})
	at := c.stop()
	assert.Equal(t, 39, c.line(at))
	assert.EqualValues(t, 0xf, at.Mask)
	at = c.step("over", true, at)
	assert.Equal(t, 43, c.line(at))
	assert.EqualValues(t, 0xfffffff0, at.Mask)
	assert.Equal(t, 4, at.At.Lane)
	at = c.step("over", true, at)
	assert.Equal(t, 46, c.line(at))
	assert.EqualValues(t, 0xffffffff, at.Mask)
	c.finish()
}

// A breakpoint whose condition does not hold does not end a step.
func TestKeptStep(t *testing.T) {
	c, lib, s := newClient(t, source, "")
	c.breakAt(28, 34)
	c.launch(lib, s, 32, interp.Checks{})
	at := c.stop()
	at = c.step("over", false, at)
	assert.Equal(t, 30, c.line(at))
	at = c.step("over", false, at)
	assert.Equal(t, "breakpoint", at.Reason)
	assert.True(t, at.Stepped)
	c.breakAt(28, 39)
	at = c.step("over", false, at)
	assert.Equal(t, 36, c.line(at))
	at.At.Lane = 9 // which does not come to line 39
	at = c.step("over", false, at)
	assert.Equal(t, 39, c.line(at))
	assert.False(t, at.Stepped)
	c.resume <- debugwire.Resume{Step: "keep"}
	at = c.stop()
	assert.Equal(t, 43, c.line(at))
	assert.Equal(t, 9, at.At.Lane)
	c.finish()
}

// A launch stops behind accesses to memory and changes of a register.
func TestWatchpoints(t *testing.T) {
	c, lib, s := newClient(t, source, "")
	c.breakAt(28)
	c.launch(lib, s, 64, interp.Checks{})
	at := c.stop()
	r4 := int32(-1)
	for _, r := range c.loaded.Kernels[0].Registers {
		if r.Name == "%r4" && r.Function == "" {
			r4 = r.Index
		}
	}
	one := debugwire.Lane{Warp: 1}
	five := debugwire.Lane{Lane: 5}
	c.call(debugwire.CallBreakpoints, debugwire.Breakpoints{Image: c.loaded.Image}, nil)
	c.call(debugwire.CallWatch, []debugwire.Watchpoint{
		{ID: 1, Space: "shared", Address: 4 * 40, Bytes: 4, Writes: true, Kernel: "k", Of: one},
		{ID: 2, Space: "global", Address: c.out + 8, Bytes: 2, Reads: true, Writes: true},
		{ID: 3, IsRegister: true, Register: r4, Kernel: "k", Of: five},
		{ID: 4, Space: "global", Address: c.out + 12, Bytes: 4, Reads: true},
	}, nil)
	c.resume <- debugwire.Resume{}
	for _, want := range []struct{ watch, line, lane, warp int }{{3, 43, 5, 0}, {2, 50, 2, 0}, {1, 34, 8, 1}, {2, 50, 2, 0}} {
		at = c.stop()
		require.Equal(t, "data breakpoint", at.Reason)
		assert.True(t, at.Moment.After)
		assert.Equal(t, want, struct{ watch, line, lane, warp int }{at.Access.Watch, c.line(at), at.At.Lane, at.At.Warp})
		if want.watch == 3 {
			assert.EqualValues(t, 100, at.Access.Now)
			assert.EqualValues(t, 100, c.register(at.At, "", "%r4", 0), "behind the instruction")
		}
		if want.watch == 1 {
			assert.Equal(t, debugwire.Dim3{X: 40}, at.Access.Thread)
		}
		if at.At.Block.X == 0 {
			c.resume <- debugwire.Resume{}
		}
	}
	c.finish()
}

// A launch runs to a moment again, and knows which moments come before, and who has written last.
func TestAgain(t *testing.T) {
	moment := func(line int) (at debugwire.Stop) {
		c, lib, s := newClient(t, source, "")
		c.breakAt(line)
		c.launch(lib, s, 64, interp.Checks{})
		at = c.stop()
		c.finish()
		return at
	}
	was := moment(50)
	c, lib, s := newClient(t, source, "")
	was.At.Lane = 2
	c.call(debugwire.CallTarget, was.Moment, nil)
	c.call(debugwire.CallTrace, debugwire.Trace{Launch: 1, Of: was.At}, nil)
	c.call(debugwire.CallWatch, []debugwire.Watchpoint{{ID: 7, Space: "shared", Address: 4 * 2, Bytes: 4, Writes: true, Logs: true, Kernel: "k"}}, nil)
	c.launch(lib, s, 64, interp.Checks{})
	at := c.stop()
	assert.Equal(t, "target", at.Reason)
	assert.Equal(t, was.PC, at.PC)
	assert.Equal(t, was.Mask, at.Mask)
	var earlier debugwire.Earlier
	c.call(debugwire.CallEarlier, nil, &earlier)
	assert.Equal(t, at.Moment.Count-1, earlier.Instruction)
	var a *debugwire.Access
	c.call(debugwire.CallLastWrite, nil, &a)
	require.NotNil(t, a)
	assert.Equal(t, "kernel.cu", a.File)
	assert.Equal(t, 2, a.At.Lane)
	assert.Equal(t, 34, a.Line)
	c.finish()

	c, lib, s = newClient(t, source, "")
	c.call(debugwire.CallTarget, debugwire.Moment{Launch: 1, Count: earlier.Line}, nil)
	c.launch(lib, s, 64, interp.Checks{})
	assert.Equal(t, 46, c.line(c.stop()), "the calls in line 39 are stepped over")
	c.finish()
}

// A launch stops where a check reports, before the instruction, and where a fault ends it.
func TestReportsAndFaults(t *testing.T) {
	racing := strings.Replace(source, "st.shared.u32 [%r3], %r1;", "st.shared.u32 [tile], %r1;", 1)
	racing = strings.Replace(racing, "st.global.u32 [%rd1], %r4;", "st.global.u32 [%rd1+4096], %r4;", 1)
	c, lib, s := newClient(t, racing, "")
	c.launch(lib, s, 64, interp.Checks{Races: true})
	at := c.stop()
	assert.Equal(t, "report", at.Reason)
	assert.Equal(t, 34, c.line(at))
	assert.Contains(t, at.Text, "racecheck: k: PTX line")
	for at.Reason == "report" {
		c.resume <- debugwire.Resume{}
		at = c.stop()
	}
	assert.Equal(t, "fault", at.Reason)
	assert.Equal(t, 50, c.line(at))
	assert.Contains(t, at.Text, "is out of bounds")
	c.finish()
	require.NotNil(t, c.fault)
}

// A launch stops where its threads wait for each other: here at barriers that the other warp does not come to.
func TestDeadlock(t *testing.T) {
	c, lib, s := newClient(t, strings.Replace(source, "bar.sync 0;", ".loc 1 52 0\nshr.u32 %r5, %r1, 5; add.u32 %r5, %r5, 1; bar.sync %r5, 64;", 1), "")
	c.launch(lib, s, 64, interp.Checks{})
	at := c.stop()
	assert.Equal(t, "fault", at.Reason)
	assert.Equal(t, 52, c.line(at))
	assert.Contains(t, at.Text, "waits for another")
	assert.Equal(t, ^uint32(0), at.Mask)
	var warps []debugwire.Warp
	c.call(debugwire.CallWarps, nil, &warps)
	require.NotEmpty(t, warps)
	for _, w := range warps {
		assert.Len(t, w.Groups, 1, "nothing executes")
	}
	c.finish()
	assert.Contains(t, c.fault.Error(), at.Text)
}

// A launch that waits for one which begins behind it, in a debugger, stops: the device is quiet, although two launches run.
func TestLaunchesThatWaitForEachOther(t *testing.T) {
	testenv.Need(t, testenv.Exhaustive) // the race detector takes half a minute
	c, lib, s := newClient(t, strings.Replace(source, "bar.sync 0;", "WAIT: ld.volatile.global.u32 %r5, [total]; setp.eq.u32 %p1, %r5, 0; @%p1 bra WAIT;", 1), "")
	var stalls, running atomic.Int32
	running.Store(2)
	watch := interp.Watch{Patience: time.Millisecond, Stalls: &stalls, Quiet: func() (uint64, bool) { return 0, stalls.Load() == running.Load() }}
	c.launch(lib, s, 32, interp.Checks{Watch: watch})
	first := c.ended
	c.launch(lib, s, 32, interp.Checks{Watch: watch})
	at := <-c.stops
	assert.Equal(t, "fault", at.Reason)
	assert.Contains(t, at.Text, "run one after another: 1.")
	running.Store(1)
	c.resume <- debugwire.Resume{}
	assert.NotContains(t, (<-c.stops).Text, "one after another")
	c.resume <- debugwire.Resume{}
	<-first
	<-c.ended
}

// An image is replaced only by one whose kernels take the same parameters.
func TestReplacement(t *testing.T) {
	c, lib, _ := newClient(t, source, strings.Replace(source, "mov.u32 %r4, 100;", "mov.u32 %r4, 200;", 1))
	assert.Empty(t, c.loaded.Refused)
	assert.Contains(t, string(c.loaded.Text), "200")
	assert.Contains(t, lib.Kernels, "k")
	for name, other := range map[string]string{
		`k is "" there`:                          strings.Replace(source, ".entry k(", ".entry other(", 1),
		"kernel with parameters at [0 8], of 12": strings.Replace(source, ".entry k(.param .u64 to, .param .u32 n)", ".entry k(.param .u64 to, .param .u64 n)", 1),
		"instruction frobnicate":                 strings.Replace(source, "mov.u32 %r4, 100;", "frobnicate.u32 %r4, 100;", 1),
		"image.ptx:1":                            "nonsense",
	} {
		c, lib, _ := newClient(t, source, other)
		assert.Contains(t, c.loaded.Refused, name)
		assert.Equal(t, strings.HasPrefix(name, "instruction"), c.released == 1, "it was loaded before")
		assert.Equal(t, source, string(c.loaded.Text))
		assert.Contains(t, lib.Kernels, "k")
	}
}

// What cannot be answered says why.
func TestRefusals(t *testing.T) {
	c, lib, s := newClient(t, source, "")
	assert.ErrorContains(t, c.conn.Call(debugwire.CallWarps, nil, nil), "no launch is stopped")
	c.breakAt(34)
	c.launch(lib, s, 32, interp.Checks{})
	at := c.stop()
	for want, do := range map[string]struct {
		call string
		body any
	}{
		"does not run":            {debugwire.CallFrames, debugwire.Lane{Block: debugwire.Dim3{X: 9}}},
		"no warp 5":               {debugwire.CallFrames, debugwire.Lane{Warp: 5}},
		"a lane 40":               {debugwire.CallFrames, debugwire.Lane{Lane: 40}},
		"there is no register":    {debugwire.CallRegister, debugwire.Register{Of: at.At, Index: 1 << 20}},
		"is out of bounds":        {debugwire.CallRead, debugwire.Memory{Of: at.At, Space: "shared", Address: 1 << 20, Bytes: 4}},
		"is in no allocation":     {debugwire.CallRead, debugwire.Memory{Of: at.At, Space: "generic", Address: 1 << 60, Bytes: 4}},
		"are more than":           {debugwire.CallRead, debugwire.Memory{Of: at.At, Space: "shared", Bytes: 1 << 40}},
		"there is no state space": {debugwire.CallRead, debugwire.Memory{Of: at.At, Space: "outer"}},
		`call "dance"`:            {"dance", nil},
	} {
		assert.ErrorContains(t, c.conn.Call(do.call, do.body, nil), want)
	}
	c.finish()
}

// A debugger that is not there, or hangs up, is an error.
func TestAttach(t *testing.T) {
	_, err := attach(t.TempDir() + "/nobody")
	assert.Error(t, err)
	listener, err := net.Listen("unix", t.TempDir()+"/s")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			conn.Close()
		}
	}()
	_, err = attach(listener.Addr().String())
	assert.Error(t, err)
}
