//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		fake fakecuda.Options
		want string // after the library's path
	}{
		{"a driver that is too old", fakecuda.Options{Version: 11080},
			" is a driver for CUDA 11.8, but cudagen needs CUDA 12.0: update NVIDIA's driver to R525 or newer"},
		{"a driver without a required entry point", fakecuda.Options{Version: 12040, Without: []string{"cuStreamDestroy_v2"}},
			", a driver for CUDA 12.4, lacks cuStreamDestroy_v2, which every driver since CUDA 4.0 has: repair the installation of NVIDIA's driver"},
		{"some other library", fakecuda.Options{Without: []string{"cuDriverGetVersion"}},
			" is not a CUDA driver: it lacks cuDriverGetVersion"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := fakecuda.Build(t, tt.fake)
			_, err := open(path)
			assert.EqualError(t, err, "libcuda: "+path+tt.want)
			assert.NotErrorIs(t, err, ErrNotInstalled)
		})
	}
	t.Run("a driver that does not say its version", func(t *testing.T) {
		path := fakecuda.Build(t, fakecuda.Options{})
		fakecuda.Load(t, path).Fail("cuDriverGetVersion", int(driver.ErrorStubLibrary))
		_, err := open(path)
		assert.EqualError(t, err, "libcuda: "+path+": cuDriverGetVersion: CUDA_ERROR_STUB_LIBRARY (34): the library loaded is the toolkit's stub, not a driver")
	})
	t.Run("a path to nothing", func(t *testing.T) {
		_, err := open("/nowhere/libcuda.so.1")
		assert.ErrorContains(t, err, "libcuda: CUDAGEN_LIBCUDA=/nowhere/libcuda.so.1: ")
		assert.NotErrorIs(t, err, ErrNotInstalled, "what the user asked for is not there")
	})
}

// TestOptionalEntryPoints opens the oldest driver, and one that lacks everything that
// is not required: it opens, and each call says what is missing.
func TestOptionalEntryPoints(t *testing.T) {
	without := fakecuda.Options{Version: 12000}
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		if !e.Required() {
			without.Without = append(without.Without, e.Symbol())
		}
	}
	for _, o := range []fakecuda.Options{{Version: 12000}, without} {
		d, _ := openFake(t, o)
		require.Equal(t, driver.Success, d.Init())
		assert.Equal(t, driver.ErrorCallRequiresNewerDriver, callByName(d, driver.KernelGetParamInfo))
		var missing *MissingSymbolError
		require.ErrorAs(t, d.Check(driver.KernelGetParamInfo), &missing)
		assert.EqualError(t, missing, d.library+", a driver for CUDA 12.0, lacks cuKernelGetParamInfo, which needs CUDA 12.4: update NVIDIA's driver")
	}
	d, _ := openFake(t, without)
	require.Equal(t, driver.Success, d.Init())
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		if !e.Required() {
			if hasMethod(d, e) {
				assert.Equal(t, driver.ErrorCallRequiresNewerDriver, callByName(d, e), e.Name())
			}
			assert.Error(t, d.Check(e), e.Name())
		} else {
			assert.NoError(t, d.Check(e), e.Name())
		}
	}
}

// TestOpen opens the driver of the process, as if nothing had done so before.
func TestOpen(t *testing.T) {
	process.driver, launchKernel = nil, 0
	t.Cleanup(func() { process.driver, launchKernel = nil, 0 })
	t.Setenv("CUDAGEN_LIBCUDA", "/nowhere/libcuda.so.1")
	_, err := Open()
	require.Error(t, err, "which decides nothing")
	path := fakecuda.Build(t, fakecuda.Options{})
	t.Setenv("CUDAGEN_LIBCUDA", path)
	assert.Equal(t, driver.ErrorNotInitialized, launchOn(launchKernel, &LaunchRecord{}))
	d, err := Open()
	require.NoError(t, err)
	again, err := Open()
	require.NoError(t, err)
	assert.Same(t, d, again)

	fakecuda.Load(t, path).Fail("cuLaunchKernel", int(driver.ErrorTimeout))
	assert.Equal(t, driver.ErrorTimeout, Launch(&LaunchRecord{Target: &Target{Entry: LaunchEntry()}, Config: &LaunchConfig{}}))
}

func TestSearch(t *testing.T) {
	nowhere, fake := "libcudagen-is-nowhere.so.1", fakecuda.Build(t, fakecuda.Options{})
	broken := filepath.Join(t.TempDir(), "libcuda.so.1")
	require.NoError(t, os.WriteFile(broken, []byte("no library"), 0o600))

	_, err := search([]string{nowhere, nowhere + ".2"})
	assert.ErrorIs(t, err, ErrNotInstalled)
	assert.EqualError(t, err, "libcuda: there is no CUDA driver on this machine (looked for libcudagen-is-nowhere.so.1, libcudagen-is-nowhere.so.1.2): install NVIDIA's driver, or set CUDAGEN_LIBCUDA to the library's path")

	_, err = search([]string{nowhere, broken, fake})
	assert.ErrorContains(t, err, "libcuda: "+broken+" exists but cannot be loaded: ")
	assert.NotErrorIs(t, err, ErrNotInstalled)

	d, err := search([]string{nowhere, fake, broken})
	require.NoError(t, err)
	assert.Equal(t, fake, d.library)
}

// TestMissingOrBroken tells a library that is not there from one that does not load.
func TestMissingOrBroken(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.so")
	require.NoError(t, os.WriteFile(garbage, []byte("no library"), 0o600))

	_, found, err := loadLibrary("libcudagen-is-nowhere.so.1")
	assert.Error(t, err)
	assert.False(t, found)
	_, found, err = loadLibrary(filepath.Join(dir, "nothing.so"))
	assert.Error(t, err)
	assert.False(t, found)
	_, found, err = loadLibrary(garbage)
	assert.Error(t, err)
	assert.True(t, found)

	t.Run("one that needs another", func(t *testing.T) {
		cc := testenv.CCPath(t)
		compile := func(args ...string) {
			command := exec.Command(cc, append([]string{"-shared", "-fPIC", "-x", "c", "/dev/null"}, args...)...)
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		needed, library := filepath.Join(dir, "libneeded.so"), filepath.Join(dir, "liboutside.so")
		compile("-o", needed)
		compile("-o", library, "-Wl,--no-as-needed", "-x", "none", needed)
		require.NoError(t, os.Remove(needed))
		_, found, err := loadLibrary(library)
		assert.Error(t, err)
		assert.True(t, found, "%v", err)
	})
}

func TestSaysMissing(t *testing.T) {
	tests := []struct {
		name, message string
		want          bool
	}{
		{"glibc", "libcuda.so.1: cannot open shared object file: No such file or directory", true},
		{"musl", "Error loading shared library libcuda.so.1: No such file or directory", true},
		{"glibc, a library that it needs", "libfoo.so: cannot open shared object file: No such file or directory", false},
		{"musl, a library that it needs", "Error loading shared library libfoo.so: No such file or directory (needed by /lib/libcuda.so.1)", false},
		{"glibc, not readable", "libcuda.so.1: cannot open shared object file: Permission denied", false},
		{"glibc, no library", "libcuda.so.1: file too short", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, saysMissing(tt.message, "libcuda.so.1"), tt.name)
	}
}
