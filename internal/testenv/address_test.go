package testenv

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFreeAddress: an address can be listened at, and is another one each time.
func TestFreeAddress(t *testing.T) {
	first, second := FreeAddress(t), FreeAddress(t)
	assert.NotEqual(t, first, second)
	for _, address := range []string{first, second} {
		l, err := net.Listen("tcp", address)
		require.NoError(t, err)
		assert.NoError(t, l.Close())
	}
}
