//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package ccall_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// What is around a call runs before and after it, with the stack aligned, whatever the call has for arguments.
func TestAround(t *testing.T) {
	const source = `
static uint64_t steps[3], count;
int before(uint64_t argument) { aligned(); count = 0; steps[count++] = argument; return argument == 7 ? 13 : 0; }
void after(uint64_t *word) { aligned(); *word = 5; steps[count++] = 3; }
void steps_to(uint64_t *to) { memcpy(to, steps, sizeof steps); to[3] = count; memset(steps, 0, sizeof steps); }
`
	var functions strings.Builder
	for n := range 13 {
		parameters := "void"
		for i := range n {
			parameters = strings.TrimPrefix(fmt.Sprintf("%s, uint64_t a%d", parameters, i), "void, ")
		}
		fmt.Fprintf(&functions, "uint64_t f%d(%s) { aligned(); steps[count++] = 2; return %d; }\n", n, parameters, 40+n)
	}
	l := compile(t, source+functions.String())
	steps := func() (all [4]uint64) {
		words := [1]unsafe.Pointer{unsafe.Pointer(&all)}
		ccall.Invoke(&ccall.Call{Function: l.symbol(t, "steps_to"), Words: unsafe.Pointer(&words), Count: 1})
		return all
	}
	for n := range uintptr(13) {
		words := new([16]uint64)
		around := &ccall.Around{Before: l.symbol(t, "before"), Argument: 1, After: l.symbol(t, "after")}
		call := &ccall.Call{Function: l.symbol(t, fmt.Sprint("f", n)), Words: unsafe.Pointer(words), Count: n, Around: around}
		assert.Equal(t, 40+uint64(n), ccall.Invoke(call), "%d arguments", n)
		assert.Zero(t, around.Failed())
		assert.Equal(t, uint64(5), around.Word())
		assert.Equal(t, [4]uint64{1, 2, 3, 3}, steps(), "%d arguments", n)

		around.Argument = 7
		ccall.Invoke(call)
		assert.Equal(t, int32(13), around.Failed())
		assert.Equal(t, [4]uint64{7, 0, 0, 1}, steps(), "%d arguments", n)
	}
	assert.Zero(t, ccall.Invoke(&ccall.Call{Function: l.symbol(t, "get_misaligned")}))
}
