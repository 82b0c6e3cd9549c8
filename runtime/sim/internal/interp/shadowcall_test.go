package interp

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// printsFollowed runs a kernel with initcheck in two threads and returns the reports. body fills the arguments of
// printf, which begin at local address l; %rd3 points to them.
func printsFollowed(t *testing.T, format, body string) []*driver.Fault {
	t.Helper()
	text := ""
	for _, c := range []byte(format) {
		text += fmt.Sprintf("%d, ", c)
	}
	m := newFollowedMachine(t, `.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.global .align 1 .b8 format[`+fmt.Sprint(len(format)+1)+`] = {`+text+`0};
.visible .entry k(.param .u64 fresh) {
.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .f64 %d<4>;
.local .align 16 .b8 l[64];
mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; ld.param.u64 %rd4, [fresh];
`+body+`
{ .param .b64 a, b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd3; call (r), vprintf, (a, b); }
ret;
}`)
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	fresh, ok := m.mem.Alloc(64, memory.Allocation{})
	require.True(t, ok)
	run := Execute(k, &m.mem, config(1, 2, 0), Alone(), arguments(k, fresh), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Undefined: true})
	if run.Fault == nil {
		return nil
	}
	require.Equal(t, Initcheck, run.Fault.Check, run.Fault.Reason)
	return append([]*driver.Fault{&run.Fault.Fault}, run.Found...)
}

func TestUndefinedArguments(t *testing.T) {
	const printed, second = "printf prints an undefined value, its argument 1 behind the format", "its argument 2 behind the format"
	for _, test := range []struct {
		name, format, body string
		want               []string
	}{
		{"none", "hello", "", nil},
		{"a defined number", "%d", "st.local.u32 [l], 7;", nil},
		{"a register that nobody has set", "%d", "st.local.u32 [l], %r1;", []string{printed}},
		{"nothing stored", "%d", "", []string{printed}},
		{"fresh memory", "%d", "ld.global.u32 %r1, [%rd4]; st.local.u32 [l], %r1;", []string{"undefined bytes were read at PTX line"}},
		{"a float of an undefined one", "%f", "cvt.f64.f32 %d1, %f1; st.local.f64 [l], %d1;", []string{printed}},
		{"the second", "%d %d", "st.local.v2.u32 [l], {7, %r1};", []string{second}},
		{"two of them", "%d %d", "st.local.v2.u32 [l], {%r2, %r1};", []string{printed, second}},
		{"behind the last that is printed", "%d", "st.local.v2.u32 [l], {7, %r1};", nil},
		{"between arguments", "%d %f", "st.local.u32 [l], 7; st.local.f64 [l+8], 0d3ff0000000000000;", nil},
		{"a width", "%*d", "st.local.v2.u32 [l], {%r1, 7};", []string{printed}},
		{"half of it", "%d", "st.local.u16 [l], 7;", []string{printed}},
		{"a string", "%s", "st.local.u64 [l], %rd1;", nil},
		{"an undefined string", "%s", "add.u64 %rd5, %rd3, 16; st.local.u64 [l], %rd5; st.local.u8 [l+20], 0;", []string{"printf prints a string with an undefined value"}},
		{"a string up to its precision", "%.2s", "add.u64 %rd5, %rd3, 16; st.local.u64 [l], %rd5; st.local.v2.u8 [l+16], {65, 66};", nil},
		{"a string beyond its precision", "%.3s", "add.u64 %rd5, %rd3, 16; st.local.u64 [l], %rd5; st.local.v2.u8 [l+16], {65, 66};", []string{"prints a string with"}},
		{"malloc of an undefined size", "", "and.b64 %rd5, %rd5, 15; { .param .b64 n, q; st.param.b64 [n], %rd5; call (q), malloc, (n); }", []string{"malloc is called with an undefined value, its argument 1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			faults := printsFollowed(t, test.format, test.body)
			require.Len(t, faults, len(test.want))
			for n, want := range test.want {
				assert.Contains(t, faults[n].Reason, want)
				assert.NotZero(t, faults[n].Count)
			}
		})
	}
}
