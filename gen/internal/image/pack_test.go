package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// TestPackIsFatbinary compares with the bytes of the toolkit's own program.
func TestPackIsFatbinary(t *testing.T) {
	testenv.Toolkit(t, 13) // older ones write longer heads of entries
	nvcc := testenv.NVCCPath(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "k.cu")
	require.NoError(t, os.WriteFile(source, []byte("__global__ void k(int *p) { *p = 1; }\n"), 0o644))
	run := func(name string, args ...string) {
		out, err := exec.Command(name, args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	var cubins []Cubin
	args := []string{"--create=" + filepath.Join(dir, "k.fatbin"), "-64", "-compress=false"}
	for _, arch := range []string{"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a"} {
		path := filepath.Join(dir, arch+".cubin")
		run(nvcc, "-cubin", "-arch", arch, "-o", path, source)
		code, err := os.ReadFile(path)
		require.NoError(t, err)
		cubins = append(cubins, Cubin{arch, code})
		args = append(args, "--image3=kind=elf,sm="+strings.TrimPrefix(arch, "sm_")+",file="+path)
	}
	run(filepath.Join(filepath.Dir(nvcc), "fatbinary"), args...)
	want, err := os.ReadFile(filepath.Join(dir, "k.fatbin"))
	require.NoError(t, err)
	got, err := Pack(cubins)
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "fatbinary writes other bytes")
}

func TestPackIsRead(t *testing.T) {
	code := sample().bytes()
	data, err := Pack([]Cubin{{"sm_90", code}, {"sm_90a", append(code, 0)}})
	require.NoError(t, err)
	fatbin, err := ReadFatbin("k.fatbin", data)
	require.NoError(t, err)
	require.Len(t, fatbin.Entries, 2)
	for _, entry := range fatbin.Entries {
		assert.Equal(t, "sm_90", entry.Image.Target)
	}
	_, err = Pack([]Cubin{{"compute_90", code}})
	assert.ErrorContains(t, err, "compute_90: is not an architecture of machine code")
	_, err = Pack([]Cubin{{"sm_100f", code}})
	assert.ErrorIs(t, err, ErrNewArch)
}
