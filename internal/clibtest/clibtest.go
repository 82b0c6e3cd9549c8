//go:build linux && !cudagen_nodriver && (amd64 || arm64)

// Package clibtest takes a Go package that cudagen library made, and calls it on the fake driver with a C library that refuses
// everything: so that tests see which calls get to C. It does not know what functions do.
package clibtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Refused is the status that the C library returns. No library has it.
const Refused = 555

var symbol = regexp.MustCompile(`Symbol: "(\w+)"`)

// aloneVariable says that the process runs one test.
const aloneVariable = "CLIBTEST_ALONE"

// Alone runs the test in a process of its own, and returns true there: a process loads a library once, and other tests want the real one.
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneVariable) != "" {
		return true
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), aloneVariable+"=1")
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return false
}

// Refusing opens a device of the fake driver. The library called name, whose Go code is in the file, has all its functions, and each returns
// Refused but for those that make, end or set: they have the bodies in C that works has, by their C names. The test runs Alone.
func Refusing(t *testing.T, name, file string, works map[string]string) (*cuda.Device, *cuda.Stream) {
	t.Helper()
	code, err := os.ReadFile(file)
	require.NoError(t, err)
	var c strings.Builder
	for _, m := range symbol.FindAllStringSubmatch(string(code), -1) {
		if body, ok := works[m[1]]; ok {
			fmt.Fprintf(&c, "int %s%s\n", m[1], body)
		} else {
			fmt.Fprintf(&c, "int %s(void) { return %d; }\n", m[1], Refused)
		}
	}
	driver := fakecuda.Build(t, fakecuda.Options{})
	image := testenv.CompileC(t, testenv.CCPath(t), strings.Fields("-std=gnu11 -O1 -fPIC -shared"), fstest.MapFS{"refusing.c": &fstest.MapFile{Data: []byte(c.String())}}, "refusing.c")
	path := filepath.Join(t.TempDir(), "lib"+name+".so")
	require.NoError(t, os.WriteFile(path, image, 0o700))
	t.Setenv("CUDAGEN_LIBCUDA", driver)
	t.Setenv("CUDAGEN_LIB"+strings.ToUpper(name), path)
	t.Setenv("CUDAGEN_DEVICE", "")
	d, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return d, s
}

// Bodies in C of functions that make a handle, and that end or set one.
const (
	Makes = "(void **handle) { static int one; *handle = &one; return 0; }"
	Works = "(void) { return 0; }"
)

// NeverCalled calls each method of handles, which are pointers to one type, with a stream and otherwise zero arguments: none of them gets to C. It
// returns how many methods there are.
func NeverCalled(t *testing.T, s *cuda.Stream, handles ...any) (methods int) {
	t.Helper()
	for _, handle := range handles {
		v := reflect.ValueOf(handle)
		for i := range v.NumMethod() {
			name := v.Type().Method(i).Name
			if name == "Close" || name == "Device" || name == "State" || name == "SetState" {
				continue
			}
			methods++
			err := zeros(v.Method(i), s)
			assert.Error(t, err, name)
			assert.NotContains(t, fmt.Sprint(err), fmt.Sprintf("(%d)", Refused), name)
		}
	}
	return methods / max(1, len(handles))
}

// zeros calls f with zero arguments, but for s.
func zeros(f reflect.Value, s *cuda.Stream) error {
	var in []reflect.Value
	for i := range f.Type().NumIn() {
		if want := f.Type().In(i); want == reflect.TypeFor[*cuda.Stream]() {
			in = append(in, reflect.ValueOf(s))
		} else {
			in = append(in, reflect.Zero(want))
		}
	}
	out := f.Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}
