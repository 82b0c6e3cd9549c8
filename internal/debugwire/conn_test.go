package debugwire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugwire"
)

// Both sides call each other at once, also while they answer a call.
func TestCalls(t *testing.T) {
	a, b := net.Pipe()
	var here, there *debugwire.Conn
	ready := make(chan struct{})
	double := func(body json.RawMessage) (any, error) {
		return debugwire.Handle(body, func(n int) (int, error) { return 2 * n, nil })
	}
	here = debugwire.NewConn(a, func(call string, body json.RawMessage) (any, error) {
		if call == "fail" {
			return 7, errors.New("it fails")
		}
		return double(body)
	})
	there = debugwire.NewConn(b, func(call string, body json.RawMessage) (any, error) {
		<-ready
		if call == "back" { // asks the other side
			var n int
			err := there.Call("double", 21, &n)
			return n, err
		}
		return double(body)
	})
	close(ready)
	var wait sync.WaitGroup
	for n := range 50 {
		wait.Go(func() {
			var got int
			if assert.NoError(t, here.Call("double", n, &got)) {
				assert.Equal(t, 2*n, got)
			}
			if assert.NoError(t, here.Call("back", nil, &got)) {
				assert.Equal(t, 42, got)
			}
		})
	}
	wait.Wait()
	assert.EqualError(t, there.Call("fail", nil, nil), "it fails")
	assert.ErrorContains(t, there.Call("double", "seven", nil), "cannot unmarshal")
	assert.NoError(t, there.Call("double", nil, nil))
}

// When the connection ends, calls that wait end, and later ones fail.
func TestEnd(t *testing.T) {
	a, b := net.Pipe()
	c := debugwire.NewConn(a, nil)
	failed := make(chan error)
	go func() { failed <- c.Call("wait", nil, nil) }()
	_, err := b.Read(make([]byte, 100))
	require.NoError(t, err)
	b.Close()
	assert.ErrorContains(t, <-failed, "the connection between debugger and program has ended")
	<-c.Ended()
	assert.ErrorContains(t, c.Call("later", nil, nil), "has ended")
}

// rw is what is read, and a place to write.
type rw struct {
	io.Reader
	mu sync.Mutex
	bytes.Buffer
}

func (r *rw) Read(p []byte) (int, error) { return r.Reader.Read(p) }

func (r *rw) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Buffer.Write(p)
}

// Whatever is read, the connection ends when there is no more.
func FuzzConn(f *testing.F) {
	f.Add(`{"id":1,"call":"breakpoints","body":{"Image":1,"Kernels":{"k":[1,2]}}}` + "\n")
	f.Add(`{"id":1,"body":7}` + "\nnonsense\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := debugwire.NewConn(&rw{Reader: strings.NewReader(text)}, func(call string, body json.RawMessage) (any, error) {
			return debugwire.Handle(body, func(b debugwire.Breakpoints) (any, error) { return b, nil })
		})
		<-c.Ended()
		if c.Call("more", nil, nil) == nil {
			t.Fatal("a connection that has ended answers")
		}
	})
}
