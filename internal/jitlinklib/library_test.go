//go:build !cudagen_nodriver && linux && (amd64 || arm64)

package jitlinklib

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/dynlib"
	"github.com/cudagen/cudagen/internal/testenv"
)

// buildFake compiles testdata/fake.c and returns where it is.
func buildFake(t testing.TB, defines ...string) Location {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libnvJitLink.so.13")
	args := append([]string{"-shared", "-fPIC", "-o", path, filepath.Join("testdata", "fake.c")}, defines...)
	out, err := exec.Command(testenv.CCPath(t), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return Location{Path: path, Origin: "the test"}
}

func openFake(t testing.TB, defines ...string) *Library {
	t.Helper()
	l, err := Open(buildFake(t, defines...))
	require.NoError(t, err)
	return l
}

// The functions of a library are found with the version in their names, and without one.
func TestLink(t *testing.T) {
	for name, test := range map[string]struct {
		define       string
		major, minor int
	}{"13.0": {"-DVERSION=13000", 13, 0}, "a newer minor version": {"-DVERSION=13050", 13, 5}, "12.0": {"-DOLD", 12, 0}} {
		t.Run(name, func(t *testing.T) {
			l := openFake(t, test.define)
			major, minor := l.Version()
			assert.Equal(t, []int{test.major, test.minor}, []int{major, minor})
			job := Job{Inputs: []Input{{PTX, "a.ptx", []byte("text")}, {Cubin, "b.cubin", []byte("code\x00")}}, Options: []string{"-arch=sm_90"}}
			r, err := l.Link(t.Context(), job)
			require.NoError(t, err)
			assert.Equal(t, "2 a.ptx 5:text;1 b.cubin 5:code;", string(r.Code), "PTX ends with a zero byte")
			assert.Equal(t, "-arch=sm_90 ", r.Log)
			job.PTX = true
			r, err = l.Link(t.Context(), job)
			require.NoError(t, err)
			assert.Equal(t, "2 a.ptx 5:text;1 b.cubin 5:code;", string(r.Code))
		})
	}
}

func TestLinkErrors(t *testing.T) {
	l := openFake(t)
	for name, test := range map[string]struct {
		job  Job
		want string
	}{
		"an option":           {Job{Options: []string{"-wrong"}}, "nvJitLinkCreate: NVJITLINK_ERROR_UNRECOGNIZED_OPTION\n-wrong"},
		"an input":            {Job{Inputs: []Input{{PTX, "a.ptx", []byte("bad")}}}, "nvJitLinkAddData a.ptx: NVJITLINK_ERROR_INVALID_INPUT\nerror   : it is bad"},
		"a name":              {Job{Inputs: []Input{{PTX, "a.ptx", []byte("undefined")}}}, "nvJitLinkComplete: NVJITLINK_ERROR_INTERNAL\nerror   : Undefined reference to 'f'"},
		"no result":           {Job{Inputs: []Input{{PTX, "a.ptx", []byte("broken")}}}, "nvJitLinkGetLinkedCubinSize: nvJitLinkResult 99"},
		"a zero byte":         {Job{Options: []string{"a\x00b"}}, `linking with nvJitLink: a zero byte in option "a\x00b"`},
		"a zero byte in name": {Job{Inputs: []Input{{PTX, "a\x00b", []byte("x")}}}, `linking with nvJitLink: a zero byte in the name "a\x00b"`},
		"nothing":             {Job{Inputs: []Input{{PTX, "a.ptx", nil}}}, "linking with nvJitLink: a.ptx is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := l.Link(t.Context(), test.job)
			assert.Nil(t, r)
			assert.EqualError(t, err, test.want)
		})
	}
}

// A caller that goes away does not wait for the link, and does not stop it.
func TestCancelled(t *testing.T) {
	location := buildFake(t)
	l, err := Open(location)
	require.NoError(t, err)
	handle, err := dynlib.Load(location.Path)
	require.NoError(t, err)
	var hold func(int32)
	var waiting func() int32
	purego.RegisterFunc(&hold, dynlib.Symbol(handle, "fakeHold"))
	purego.RegisterFunc(&waiting, dynlib.Symbol(handle, "fakeWaiting"))
	hold(1)
	defer hold(0)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user left")
	job := Job{Inputs: []Input{{PTX, "a.ptx", []byte("text")}}}
	ended := make(chan error, 1)
	go func() {
		_, err := l.Link(ctx, job)
		ended <- err
	}()
	require.Eventually(t, func() bool { return waiting() == 1 }, time.Minute, time.Millisecond)
	cancel(why)
	assert.ErrorIs(t, <-ended, why)
	_, err = l.Link(ctx, job)
	assert.ErrorIs(t, err, why)

	// Links that nobody waits for are bounded: the next one waits for a place, or its context.
	abandoned, leave := context.WithCancel(t.Context())
	for range maxLinks - 1 {
		go l.Link(abandoned, job)
	}
	require.Eventually(t, func() bool { return int(waiting()) == maxLinks }, time.Minute, time.Millisecond)
	leave()
	_, err = l.Link(abandoned, job)
	assert.ErrorIs(t, err, context.Canceled)
	hold(0)
	r, err := l.Link(t.Context(), job)
	require.NoError(t, err)
	assert.NotEmpty(t, r.Code)
}

func TestOpenRefuses(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "libnvJitLink.so.13")
	require.NoError(t, os.WriteFile(garbage, []byte("no library"), 0o600))
	for name, test := range map[string]struct {
		location Location
		want     string
	}{
		"another library": {buildFake(t, "-DINCOMPLETE"), "it is not nvJitLink of CUDA 12.0 or newer: it lacks nvJitLinkGetInfoLog: run cudagen toolchain install -with nvjitlink"},
		"no library":      {Location{Path: garbage, Origin: "the test"}, "nvJitLink " + garbage + " (from the test): "},
		"nothing":         {Location{Path: "/nowhere/libnvJitLink.so.13"}, "/nowhere/libnvJitLink.so.13"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(test.location)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// nvJitLink is found where NVRTC is, and by its variable before that.
func TestFind(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "lib64", "libnvJitLink.so.13")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	real, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	find := func(env map[string]string) (Location, error) {
		return Find(func(name string) string { return env[name] })
	}
	location, err := find(map[string]string{"CUDA_HOME": root})
	require.NoError(t, err)
	assert.Equal(t, Location{Path: real, Origin: "$CUDA_HOME"}, location)
	location, err = find(map[string]string{"NVJITLINK_LIB": path})
	require.NoError(t, err)
	assert.Equal(t, Location{Path: real, Origin: "$NVJITLINK_LIB"}, location)
	_, err = find(map[string]string{"NVJITLINK_LIB": filepath.Join(root, "gone"), "CUDA_HOME": root})
	var missing *NotFoundError
	require.ErrorAs(t, err, &missing)
	assert.ErrorContains(t, err, "no nvJitLink in $NVJITLINK_LIB ("+filepath.Join(root, "gone")+"): run cudagen toolchain install -with nvjitlink")
}
