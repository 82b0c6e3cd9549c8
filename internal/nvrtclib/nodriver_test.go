//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package nvrtclib

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNoDriver(t *testing.T) {
	l, err := Open(Location{Path: "libnvrtc.so.13"})
	assert.Nil(t, l)
	assert.ErrorContains(t, err, "NVRTC")
	_, err = l.Compile(t.Context(), Program{})
	assert.Error(t, err)
}
