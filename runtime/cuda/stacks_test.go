package cuda

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A goroutine in any function of this package but those that close may hold an epoch, also where the function is generic or was inlined.
func TestOnlyClosing(t *testing.T) {
	const path = "github.com/cudagen/cudagen/runtime/cuda"
	closes := "goroutine 7 [select]:\n" + path + ".(*Device).awaitClosing(0xc000, {0x1, 0x2}, 0x3)\n\t/x/deviceclose.go:1 +0x1\n" +
		path + ".(*Device).Close(...)\nmain.main()\n\n" +
		"goroutine 8 [running]:\n" + path + ".noneIsCalling()\n" + path + ".(*Device).awaitCalls(0xc000)\n" + path + ".(*Device).closeWithin.func1()\ncreated by " + path + ".(*Device).closeWithin in goroutine 7\n"
	assert.True(t, onlyClosing([]byte(closes)))
	for _, other := range []string{
		path + ".(*Stream).Synchronize(0xc000)", path + ".Generated.Launch(...)", path + ".copyOn[...](0xc000)", path + "/internal/measure.(*Clock).look(0x1)",
		path + ".(*Device).Close.func9()", path + ".glob..func1()",
	} {
		assert.False(t, onlyClosing([]byte(closes+"\ngoroutine 9 [runnable]:\n"+other+"\nmain.main()\n")), other)
	}
	for _, harmless := range []string{path + "_test.TestX(0x1)", path + "x.F()", "main.main()", "\t" + path + ".(*Stream).Wait(", "created by " + path + ".(*Stream).Wait in goroutine 9"} {
		assert.True(t, onlyClosing([]byte(closes+"\ngoroutine 9 [runnable]:\n"+harmless+"\nmain.main()\n")), harmless)
	}
}

// The runtime prints what onlyClosing reads, whatever the compiler has made of a function.
func TestStacksHaveCalls(t *testing.T) {
	for name, call := range map[string]func(held func()){
		".inlinedCall(":                 func(held func()) { inlinedCall(held) },
		".genericCall[":                 func(held func()) { genericCall[uint16](held) },
		".TestStacksHaveCalls.func3.":   func(held func()) { func() { held() }() },
		".TestStacksHaveCalls.func4.1(": func(held func()) { started := make(chan int); go func() { held(); close(started) }(); <-started },
	} {
		call(func() {
			text := make([]byte, 1<<20)
			n := runtime.Stack(text, true)
			require.Less(t, n, len(text))
			assert.False(t, onlyClosing(text[:n]), name)
			assert.False(t, noneIsCalling(), name)
			assert.Contains(t, string(text[:n]), string(packagePath)+name)
		})
	}
	assert.Equal(t, "github.com/cudagen/cudagen/runtime/cuda", string(packagePath))
	assert.False(t, strings.Contains(string(packagePath), "_test"))
}

func inlinedCall(held func()) { held() }

func genericCall[T any](held func()) { held() }
