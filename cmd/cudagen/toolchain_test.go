package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestStatusLine(t *testing.T) {
	var out bytes.Buffer
	s := statusLine{w: &out, terminal: true}
	s.show("downloading")
	s.show(strings.Repeat("é", 100))
	s.clear()
	assert.Equal(t, "\r\x1b[Kdownloading\r\x1b[K"+strings.Repeat("é", 78)+"…\r\x1b[K", out.String())

	// Elsewhere there is a plain line now and then, and none on short runs.
	out.Reset()
	plain := newStatusLine(&out, "cudagen: ")
	plain.show("downloading")
	assert.Empty(t, out.String())
	plain.said = time.Now().Add(-plainEvery)
	plain.show("downloading")
	plain.show("unpacking")
	plain.clear()
	assert.Equal(t, "cudagen: downloading\n", out.String())
	assert.False(t, isTerminal(&out))
}
