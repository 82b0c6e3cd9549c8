//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package ccall_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// maxRandom is how many arguments random functions have.
const maxRandom = min(40, ccall.MaxArguments)

// prototypes returns count random functions, one of each small number of integers, and the longest.
func prototypes(r *rand.Rand, count int) (ps []prototype) {
	double, word := kinds[11], kinds[7]
	for n := range 20 {
		ps = append(ps, prototype{slices.Repeat([]kind{word}, n), word})
	}
	ps = append(ps,
		prototype{slices.Repeat([]kind{word}, ccall.MaxArguments), word},
		prototype{slices.Repeat([]kind{double}, 8), double},
		prototype{append(slices.Repeat([]kind{word}, 9), double), double},
		prototype{append(slices.Repeat([]kind{double}, 9), slices.Repeat([]kind{word, double}, 9)...), word})
	for range count {
		ps = append(ps, randomPrototype(r, maxRandom))
	}
	return ps
}

// TestArguments compares what C functions were called with, and what they returned, with what C's types make of the
// words.
func TestArguments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ps := prototypes(r, testenv.Cases(100, 1000))
	var source strings.Builder
	for i, p := range ps {
		source.WriteString(p.definition(fmt.Sprint("f", i)))
	}
	l := compile(t, source.String())
	for i, p := range ps {
		words, want := []uint64{}, []uint64{}
		for _, k := range p.arguments {
			value := r.Uint64()
			words, want = append(words, k.word(value)), append(want, k.extended(value))
		}
		result := r.Uint64()
		l.invoke(t, "set", result)
		got := l.run(t, p, fmt.Sprint("f", i), words)
		assert.Equal(t, want, l.seen(t, len(words)), "%s\nwords %#x", p.definition("f"), words)
		assert.Equal(t, p.result.extended(result), p.result.extended(got), "the result of %s", p.definition("f"))
	}
	assert.Zero(t, l.invoke(t, "get_misaligned"), "bytes by which the stack was not aligned")
}

// TestArgumentsInWrongPlacesAreSeen is the control of TestArguments: a double that the call calls an integer, and an
// integer that it calls a double.
func TestArgumentsInWrongPlacesAreSeen(t *testing.T) {
	double, word := kinds[11], kinds[7]
	right := prototype{[]kind{word, double}, word}
	l := compile(t, right.definition("f"))
	words := []uint64{1 << 40, 2 << 40}
	l.run(t, right, "f", words)
	assert.Equal(t, words, l.seen(t, 2))
	for _, wrong := range []prototype{{[]kind{word, word}, word}, {[]kind{double, word}, word}} {
		l.run(t, wrong, "f", words)
		assert.NotEqual(t, words, l.seen(t, 2))
	}
}

func TestTooManyArguments(t *testing.T) {
	const most = ccall.MaxArguments
	words := make([]uint64, most+1)
	call := ccall.Call{Words: unsafe.Pointer(&words[0]), Count: most + 1}
	want := fmt.Sprintf("ccall: a call has %d arguments, this build can pass %d: compare with MaxArguments before", most+1, most)
	assert.PanicsWithValue(t, want, func() { ccall.Invoke(&call) })
	assert.PanicsWithValue(t, want, func() { ccall.InvokeFloat(&call) })
}
