package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatusLine(t *testing.T) {
	var out bytes.Buffer
	s := statusLine{w: &out, on: true}
	s.show("downloading")
	s.show(strings.Repeat("é", 100))
	s.clear()
	assert.Equal(t, "\r\x1b[Kdownloading\r\x1b[K"+strings.Repeat("é", 78)+"…\r\x1b[K", out.String())

	out.Reset()
	quiet := statusLine{w: &out}
	quiet.show("downloading")
	quiet.clear()
	assert.Empty(t, out.String())
	assert.False(t, isTerminal(&out))
}
