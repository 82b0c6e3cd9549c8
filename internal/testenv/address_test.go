package testenv

import (
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFreeAddress: an address can be listened at, and is another one each time; its port is none that Linux gives away.
func TestFreeAddress(t *testing.T) {
	first, second := FreeAddress(t), FreeAddress(t)
	assert.NotEqual(t, first, second)
	if runtime.GOOS == "linux" {
		_, port, err := net.SplitHostPort(first)
		require.NoError(t, err)
		assert.Less(t, port, "32768")
	}
	for _, address := range []string{first, second} {
		l, err := net.Listen("tcp", address)
		require.NoError(t, err)
		assert.NoError(t, l.Close())
	}
}
