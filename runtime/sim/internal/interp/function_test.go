package interp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// calling is a module whose kernel k runs body for each of n threads, with x in %r3, and stores
// %r4; functions stand in front of it.
func calling(functions, body string) string {
	return ptxHeader + functions + `
.entry k(.param .u64 p) {
.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f64 %fd<9>;
ld.param.u64 %rd1, [p]; mov.u32 %r3, %tid.x; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd1, %rd2;
` + body + `
st.global.u32 [%rd1], %r4;
ret;
}
`
}

func callResults(t *testing.T, functions, body string) []uint32 {
	t.Helper()
	m := newMachine(t, calling(functions, body))
	require.Empty(t, m.lib.Kernels["k"].Unsupported)
	out := make([]uint32, 64)
	addr := m.upload(out)
	_, fault := m.launch("k", config(1, 64, 0), addr)
	require.Nil(t, fault)
	m.download(addr, out)
	return out
}

const factorial = `.func (.param .b32 r) factorial(.param .b32 n) {
.reg .b32 %r<9>; .reg .pred %p1;
ld.param.u32 %r1, [n]; mov.u32 %r2, 1; setp.le.u32 %p1, %r1, 1; @%p1 bra DONE;
sub.u32 %r3, %r1, 1;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), factorial, (a); ld.param.b32 %r4, [b]; }
mul.lo.u32 %r2, %r1, %r4;
DONE: st.param.b32 [r], %r2; ret; }
`

const callFactorial = `rem.u32 %r5, %r3, 11;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r5; call.uni (b), factorial, (a); ld.param.b32 %r4, [b]; }`

func TestRecursion(t *testing.T) {
	for i, got := range callResults(t, factorial, callFactorial) {
		want := uint32(1)
		for n := range i % 11 {
			want *= uint32(n + 1)
		}
		assert.Equal(t, want, got, i)
	}
}

// TestCallInSomeLanes: lanes that call and lanes that do not, and calls of one function from
// two places, meet again.
func TestCallInSomeLanes(t *testing.T) {
	const twice = `.func (.reg .u32 r) twice(.reg .u32 x) { add.u32 r, x, x; ret; }` + "\n"
	got := callResults(t, twice, `mov.u32 %r4, 1000; and.b32 %r5, %r3, 3; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %r5, 1;
@%p1 call (%r4), twice, (%r3);
@%p2 bra B; bra END;
B: call (%r4), twice, (7);
END: bar.sync 0;`)
	for i, got := range got {
		assert.Equal(t, []uint32{uint32(2 * i), 14, 1000, 1000}[i&3], got, i)
	}
}

// TestIndirectCalls: addresses from mov, from an initial value, by bytes and generic, through a prototype.
func TestIndirectCalls(t *testing.T) {
	functions := `.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 20; st.param.b32 [r], %r1; ret; }
.func odd(.param .b64 x) { frobnicate; ret; }
.alias uno, one;
.global .u64 table[3] = {one, two, odd};
.global .u64 other[1] = {generic(uno)};
.global .align 8 .b8 bytes[8] = {0xFF(two), 0xFF00(two), 0xFF0000(two), 0xFF000000(two), 0xFF00000000(two), 0xFF0000000000(two), 0xFF000000000000(two), 0xFF00000000000000(two)};
`
	const call = `{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
call (b), %rd5, (a), P; ld.param.b32 %r4, [b]; }`
	for i, got := range callResults(t, functions, "and.b32 %r5, %r3, 1; mul.wide.u32 %rd3, %r5, 8; mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];"+call) {
		assert.Equal(t, uint32(i)+[]uint32{1, 20}[i&1], got)
	}
	for load, add := range map[string]uint32{"mov.u64 %rd5, two;": 20, "ld.global.u64 %rd5, [other];": 1, "ld.global.u64 %rd5, [bytes];": 20} {
		assert.Equal(t, 3+add, callResults(t, functions, load+call)[3], load)
	}
	for load, want := range map[string]string{
		"mov.u64 %rd5, 0;":                          "address 0x0 is not that of a function",
		"mov.u64 %rd5, one; add.u64 %rd5, %rd5, 1;": "is not that of a function",
		"ld.global.u64 %rd5, [table+16];":           "function odd cannot be called: the simulated device does not support instruction frobnicate",
	} {
		m := newMachine(t, calling(functions, load+call))
		_, fault := m.launch("k", config(1, 32, 0), m.upload(make([]uint32, 32)))
		require.NotNil(t, fault, load)
		assert.Contains(t, fault.Reason, want)
	}
}

// TestFrames: each call has a frame of its own, to which addresses point while others run, and
// arrays pass by value.
func TestFrames(t *testing.T) {
	functions := `.func sum(.param .b64 to, .param .align 4 .b8 s[12]);
.func deep(.param .b64 outer, .param .b32 n) {
.local .align 4 .b8 mine[8]; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
ld.param.u64 %rd1, [outer]; ld.param.u32 %r1, [n];
mov.u64 %rd2, mine; cvta.local.u64 %rd3, %rd2; st.local.u32 [mine+4], %r1;
ld.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, %r1; st.u32 [%rd1+4], %r2; // into the caller's frame
setp.eq.u32 %p1, %r1, 0; @%p1 ret;
sub.u32 %r3, %r1, 1;
{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; st.param.b32 [b], %r3; call deep, (a, b); }
ld.local.u32 %r4, [mine+4]; ld.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, %r4; st.u32 [%rd1+4], %r2;
ret; }
.func sum(.param .b64 to, .param .align 4 .b8 s[12]) {
.reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [to]; ld.param.v2.u32 {%r1, %r2}, [s]; ld.param.u32 %r3, [s+8]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.u32 [%rd1], %r1; ret; }
`
	got := callResults(t, functions, `.local .align 8 .b8 mine[8]; and.b32 %r5, %r3, 7;
mov.u64 %rd2, mine; cvta.local.u64 %rd3, %rd2; st.local.u32 [mine+4], 0;
{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; st.param.b32 [b], %r5; call deep, (a, b); }
ld.local.u32 %r4, [mine+4];`)
	var deep func(outer *uint32, n uint32)
	deep = func(outer *uint32, n uint32) {
		mine := n
		*outer += n
		if n == 0 {
			return
		}
		deep(&mine, n-1)
		*outer += mine
	}
	for i, got := range got {
		want := uint32(0)
		deep(&want, uint32(i&7))
		assert.Equal(t, want, got, i)
	}
	got = callResults(t, functions, `.local .align 8 .b8 out[8]; mov.u64 %rd2, out; cvta.local.u64 %rd3, %rd2;
{ .param .b64 a; .param .align 4 .b8 b[12]; st.param.b64 [a], %rd3; st.param.v2.b32 [b], {%r3, 5}; st.param.b32 [b+8], 100; call sum, (a, b); }
ld.local.u32 %r4, [out];`)
	for i, got := range got {
		assert.Equal(t, uint32(i+105), got)
	}
}

func TestAlloca(t *testing.T) {
	got := callResults(t, `.func (.param .b32 r) f(.param .b32 n) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
ld.param.u32 %r1, [n]; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, 4;
stacksave.u64 %rd5; alloca.u64 %rd2, %rd1; alloca.u64 %rd4, 16, 16; cvta.local.u64 %rd2, %rd2;
st.local.u32 [%rd4], 1000000;
mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3; st.u32 [%rd3], %r1; ld.u32 %r2, [%rd3]; and.b64 %rd4, %rd4, 15; cvt.u32.u64 %r3, %rd4; add.u32 %r2, %r2, %r3;
stackrestore.u64 %rd5; st.param.b32 [r], %r2; ret; }
`, `{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), f, (a); ld.param.b32 %r4, [b]; }`)
	for i, got := range got {
		assert.Equal(t, uint32(i), got)
	}
}

// TestStackOverflow: a recursion without end stops with its place.
func TestStackOverflow(t *testing.T) {
	m := newMachine(t, calling(".func f() {\n.local .b8 x[100]; call f; ret; }\n", "call f;"))
	_, fault := m.launch("k", config(1, 32, 0), m.upload(make([]uint32, 32)))
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "stack overflow")
	assert.Equal(t, 5, fault.PTXLine)
}

// TestCallErrors: PTX whose calls do not suit their functions does not load.
func TestCallErrors(t *testing.T) {
	for body, want := range map[string]string{
		"call factorial;": "function factorial has other parameters",
		"{ .param .b64 a; .param .b32 b; call (b), factorial, (a); }": "function factorial has other parameters",
		"call 7;": "the operand is not a function",
	} {
		var mem memory.Memory
		_, refused := loadImage([]byte(calling(factorial, body)), &mem)
		require.NotNil(t, refused, body)
		assert.Contains(t, refused.Log, want, fmt.Sprint(body))
	}
}
