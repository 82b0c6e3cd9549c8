package leak

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:noinline
func open1() *Record { return open2() }

//go:noinline
func open2() *Record { return (*Scope)(nil).Opened("a thing") }

func TestRecords(t *testing.T) {
	if !Enabled() { // CUDAGEN_LEAKS=1
		off := open1()
		assert.Nil(t, off)
		assert.False(t, off.Closed())
		off.Lost()
	}
	Enable()
	a, b := open1(), open1()
	require.Equal(t, []*Record{a, b}, Open(), "in order")
	text := a.String()
	assert.True(t, strings.HasPrefix(text, "a thing, opened by\n\t"), text)
	assert.Contains(t, text, "leak.open1\n")
	_, thisFile, _, _ := runtime.Caller(0)
	assert.Contains(t, text, filepath.Base(thisFile)+":")
	assert.NotContains(t, text, "leak.open2\n", "the caller of Opened is package cuda")
	assert.True(t, a.Closed())
	assert.False(t, a.Closed())
	assert.Equal(t, []*Record{b}, Open())
	assert.True(t, b.Closed())
}

func TestScope(t *testing.T) {
	a, b := new(Scope), new(Scope)
	open := func(s *Scope) *Record { return s.Opened("a thing") }
	first, other, second := open(a), open(b), open(a)
	require.NotNil(t, first, "a scope needs no Enable")
	assert.Equal(t, []*Record{first, second}, a.Open())
	assert.Equal(t, []*Record{other}, b.Open())
	assert.Equal(t, []*Record{first, other, second}, Open())
	a.Forget()
	assert.Empty(t, a.Open())
	assert.False(t, first.Closed())
	assert.True(t, other.Closed())
}
