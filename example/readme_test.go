package example_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page of the examples has every program, and each that it runs is there.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	programs, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	assert.Greater(t, len(programs), 10)
	for _, path := range programs {
		name := filepath.Dir(path)
		assert.Contains(t, string(page), "| ["+name+"]("+name+") |")
	}
	for _, run := range regexp.MustCompile(`go run \./example/(\w+)`).FindAllStringSubmatch(string(page), -1) {
		assert.FileExists(t, filepath.Join(run[1], "main.go"))
	}
}
