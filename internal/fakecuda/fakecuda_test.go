//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package fakecuda

import (
	"debug/elf"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exports returns the entry points that the library at path has.
func exports(t *testing.T, path string) (machine elf.Machine, symbols map[string]bool) {
	file, err := elf.Open(path)
	require.NoError(t, err)
	defer file.Close()
	dynamic, err := file.DynamicSymbols()
	require.NoError(t, err)
	symbols = map[string]bool{}
	for _, s := range dynamic {
		symbols[s.Name] = s.Section != elf.SHN_UNDEF
	}
	return file.Machine, symbols
}

func TestBuildOptions(t *testing.T) {
	tests := []struct {
		name       string
		options    Options
		has, lacks []string
	}{
		{name: "complete", has: []string{"cuInit", "cuLibraryLoadData", "cuKernelGetParamInfo", "cuStreamDestroy_v2"}, lacks: []string{"cuStreamDestroy"}},
		{name: "12.4", options: Options{Version: 12040}, has: []string{"cuKernelGetParamInfo"}},
		{name: "12.3", options: Options{Version: 12030}, has: []string{"cuLibraryLoadData"}, lacks: []string{"cuKernelGetParamInfo"}},
		{name: "11.8", options: Options{Version: 11080}, has: []string{"cuInit"}, lacks: []string{"cuLibraryLoadData", "cuKernelGetAttribute"}},
		{name: "without", options: Options{Without: []string{"cuInit"}}, has: []string{"cuStreamQuery"}, lacks: []string{"cuInit"}},
		{name: "arm64", options: Options{Arm64: true}, has: []string{"cuInit"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			machine, symbols := exports(t, Build(t, tt.options))
			for _, name := range tt.has {
				assert.True(t, symbols[name], name)
			}
			for _, name := range tt.lacks {
				assert.False(t, symbols[name], name)
			}
			if tt.options.Arm64 {
				assert.Equal(t, elf.EM_AARCH64, machine)
			}
		})
	}
}

// TestEachBuildHasItsOwnState loads two libraries of the same options.
func TestEachBuildHasItsOwnState(t *testing.T) {
	first, second := Load(t, Build(t, Options{})), Load(t, Build(t, Options{}))
	var cuInit func(flags uint32) int32
	purego.RegisterFunc(&cuInit, first.Symbol(t, "cuInit"))

	assert.Equal(t, int32(1), cuInit(1), "flags must be 0")
	first.Fail("cuInit", 999)
	assert.Equal(t, int32(999), cuInit(0))
	assert.Equal(t, int32(0), cuInit(0), "once")
	assert.Equal(t, []string{"cuInit", "cuInit", "cuInit"}, first.Calls())
	assert.Empty(t, second.Calls())
	assert.Empty(t, first.Launches())

	first.Reset()
	assert.Empty(t, first.Calls())
}

func TestLoadFileRefuses(t *testing.T) {
	_, err := LoadFile("/nowhere/libcuda.so.1")
	assert.Error(t, err)
}
