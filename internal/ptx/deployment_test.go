package ptx

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// architectureRow is a row of the table of architectures in docs/deployment.md.
var architectureRow = regexp.MustCompile("(?m)^\\| [0-9.]+ \\|.*`(sm_[0-9]+)` \\| ([0-9.]+) \\|")

// The guide has the PTX version that each architecture needs.
func TestDeploymentGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/deployment.md")
	require.NoError(t, err)
	rows := architectureRow.FindAllStringSubmatch(string(page), -1)
	assert.Len(t, rows, 11)
	for _, row := range rows {
		assert.Equal(t, targets[row[1]].String(), row[2], row[1])
	}
}
