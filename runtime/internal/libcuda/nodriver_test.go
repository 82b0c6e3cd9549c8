//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package libcuda

import (
	"testing"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
)

func TestNoDriver(t *testing.T) {
	d, err := Open()
	assert.Nil(t, d)
	assert.ErrorIs(t, err, ErrNotInstalled)
	assert.ErrorContains(t, err, "libcuda: there is no CUDA driver ")
	assert.Equal(t, driver.ErrorNotInitialized, Launch(&LaunchRecord{}))
}
