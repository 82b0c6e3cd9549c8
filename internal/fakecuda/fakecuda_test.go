//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package fakecuda

import (
	"debug/elf"
	"regexp"
	"strconv"
	"strings"
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

// entryPoint matches an entry point of src/entrypoints.h: its symbol, and the version of CUDA
// that brought it.
var entryPoint = regexp.MustCompile(`(?m)^ENTRY_POINT\(\w+, (\w+), (\d+), \d\)$`)

// TestVersionsHaveTheirSymbols: a driver exports what its version of CUDA has, and no other entry
// point. runtime/internal/driver compares the list with NVIDIA's header.
func TestVersionsHaveTheirSymbols(t *testing.T) {
	text, err := sources.ReadFile("src/entrypoints.h")
	require.NoError(t, err)
	list := entryPoint.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(list), 90)
	var before int
	for _, version := range []int{12000, 12020, 12030, 12040, 13000} {
		var want, got []string
		for _, e := range list {
			if since, err := strconv.Atoi(e[2]); assert.NoError(t, err) && since <= version {
				want = append(want, e[1])
			}
		}
		_, symbols := exports(t, Build(t, Options{Version: version}))
		for name, has := range symbols {
			if has && strings.HasPrefix(name, "cu") {
				got = append(got, name)
			}
		}
		assert.ElementsMatch(t, want, got, "CUDA %d", version)
		if version <= 12040 {
			assert.Greater(t, len(got), before, "the control: CUDA %d brought something", version)
		}
		before = len(got)
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
