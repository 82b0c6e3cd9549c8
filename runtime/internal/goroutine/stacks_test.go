package goroutine

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A goroutine in any function of the package but the harmless ones counts, also where the function is generic or was inlined.
func TestTraces(t *testing.T) {
	const path = "github.com/cudagen/cudagen/runtime/cuda"
	harmless := map[string]bool{".(*Device).awaitClosing": true, ".(*Device).Close": true, ".noneIsCalling": true, ".(*Device).awaitCalls": true, ".(*Device).closeWithin.func1": true}
	closes := "goroutine 7 [select]:\n" + path + ".(*Device).awaitClosing(0xc000, {0x1, 0x2}, 0x3)\n\t/x/deviceclose.go:1 +0x1\n" +
		path + ".(*Device).Close(...)\nmain.main()\n\n" +
		"goroutine 8 [running]:\n" + path + ".noneIsCalling()\n" + path + ".(*Device).awaitCalls(0xc000)\n" + path + ".(*Device).closeWithin.func1()\ncreated by " + path + ".(*Device).closeWithin in goroutine 7\n"
	assert.True(t, noneIn([]byte(closes), []byte(path), harmless))
	for _, other := range []string{
		path + ".(*Stream).Synchronize(0xc000)", path + ".Generated.Launch(...)", path + ".copyOn[...](0xc000)", path + "/internal/measure.(*Clock).look(0x1)",
		path + ".(*Device).Close.func9()", path + ".glob..func1()",
	} {
		assert.False(t, noneIn([]byte(closes+"\ngoroutine 9 [runnable]:\n"+other+"\nmain.main()\n"), []byte(path), harmless), other)
	}
	for _, another := range []string{path + "_test.TestX(0x1)", path + "x.F()", "main.main()", "\t" + path + ".(*Stream).Wait(", "created by " + path + ".(*Stream).Wait in goroutine 9"} {
		assert.True(t, noneIn([]byte(closes+"\ngoroutine 9 [runnable]:\n"+another+"\nmain.main()\n"), []byte(path), harmless), another)
	}
}

// The runtime prints what noneIn reads, whatever the compiler has made of a function.
func TestStacksHaveCalls(t *testing.T) {
	path := reflect.TypeFor[Labels]().PkgPath()
	require.Equal(t, "github.com/cudagen/cudagen/runtime/internal/goroutine", path)
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
			assert.Contains(t, string(text[:n]), path+name)
			assert.False(t, NoneIn(path, nil), name)
			assert.True(t, NoneIn(path+"/below", nil), "the control")
		})
	}
}

func inlinedCall(held func()) { held() }

func genericCall[T any](held func()) { held() }
