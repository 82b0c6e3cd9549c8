package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestArchsOf(t *testing.T) {
	archs, err := archsOf([]cuda.DeviceInfo{{Major: 12, Minor: 0}, {Major: 9}, {Major: 8, Minor: 6}, {Major: 9}, {Major: 7, Minor: 5}})
	require.NoError(t, err)
	assert.Equal(t, []string{"sm_75", "sm_86", "sm_90", "sm_120"}, archs)
	_, err = archsOf(nil)
	assert.ErrorContains(t, err, "there is no GPU: name an architecture")
}

// What native stands for is what the driver shows.
func TestNativeArchs(t *testing.T) {
	infos, err := cuda.Devices()
	require.NoError(t, err)
	archs, err := nativeArchs()
	assert.Equal(t, len(infos) == 0, err != nil, "%v", err)
	assert.LessOrEqual(t, len(archs), len(infos))
}
