package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/simtest"
)

// The counts are exact, for none, few and many bytes.
func TestHistogram(t *testing.T) {
	for _, n := range []int{0, 1, 255, 4096, 100_001} {
		data := make([]byte, n)
		want := make([]uint64, 256)
		for i := range data {
			data[i] = byte(i * i >> 3)
			want[data[i]]++
		}
		got, err := histogram(simtest.New(t), data)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%d bytes", n)
	}
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	require.NoError(t, run(nil, &out))
	assert.Equal(t, shown, strings.Count(out.String(), "\n"))
	assert.Contains(t, strings.SplitN(out.String(), "\n", 2)[0], "' '", "blanks are the most frequent")
	assert.Error(t, run([]string{"none"}, &out))
}
