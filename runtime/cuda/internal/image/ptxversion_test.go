package image

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTooNew(t *testing.T) {
	for _, tt := range []struct {
		ptx          string
		major, minor int
		want         string
	}{
		{".version 9.5\n", 13, 0, "k.ptx is PTX 9.5, and this driver (CUDA 13.0) takes PTX 9.0 at most: update to a driver of CUDA 13.5 or newer, or generate it again with -ptx-version min, or with the nvcc of CUDA 13.0 or older"},
		{"// head\n.version 8.8\n", 12, 5, "k.ptx is PTX 8.8, and this driver (CUDA 12.5) takes PTX 8.5 at most: update to a driver of CUDA 12.9 or newer"},
		{".version 8.5\n", 12, 4, "update to a driver of CUDA 12.5 or newer"},
		{".version 11.0\n", 14, 2, "k.ptx is PTX 11.0, and this driver (CUDA 14.2) takes no PTX so new: generate it again"},
		{"", 12, 0, "k.ptx is too new, and this driver (CUDA 12.0) takes PTX 8.0 at most: generate it again"},
	} {
		assert.Contains(t, TooNew("k.ptx", tt.ptx, true, tt.major, tt.minor), tt.want)
	}
	assert.Contains(t, TooNew("k.ptx", ".version 9.5\n", false, 13, 0), "or newer, or compile it with the nvcc of CUDA 13.0 or older", "by hand")
}

// The guide has the PTX versions of drivers.
func TestDeploymentGuide(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/deployment.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| 5[0-9]+ \| ([0-9]+)\.([0-9]+) \| ([0-9.]+) \|`).FindAllStringSubmatch(string(page), -1)
	assert.Len(t, rows, 11)
	for _, row := range rows {
		major, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		minor, err := strconv.Atoi(row[2])
		require.NoError(t, err)
		most, ok := ptxOfCUDA(major, minor)
		require.True(t, ok, row[0])
		assert.Equal(t, most, row[3], row[0])
	}
}
