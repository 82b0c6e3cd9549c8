package debugger

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An argument of the wrong type is shown as it should be.
func TestArgumentTypes(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"buildFlags": "-tags x"}`:     `buildFlags is a list: ["-tags", "x"]`,
		`{"args": [7]}`:                 `args is a list: ["-n", "5"]`,
		`{"env": ["A=b"]}`:              `env is an object of texts: {"NAME": "value"}`,
		`{"env": {"A": 1}}`:             `env is an object of texts: {"NAME": "value"}`,
		`{"program": 7}`:                `program is a text: "./example/bugs"`,
		`{"cwd": false}`:                `cwd is a text: "testdata"`,
		`{"stopOnEntry": "yes please"}`: "stopOnEntry is true or false",
		`["./example/bugs"]`:            `the arguments of a launch request are an object: write {"program": "./example/bugs"}`,
	} {
		assert.EqualError(t, new(Configuration).read([]byte(arguments)), want, arguments)
	}
	var c Configuration
	assert.NoError(t, c.read([]byte(`{"program": "./k", "buildFlags": ["-v"], "name": "of an editor", "__id": 7}`)))
	assert.Equal(t, Configuration{Program: "./k", BuildFlags: []string{"-v"}}, c)
}

// What cannot start is refused before it is built.
func TestCheckPaths(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "text")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	missing := filepath.Join(folder, "missing")
	for want, c := range map[string]Configuration{
		"cwd " + missing + ": no such folder: name one, or leave cwd out":                     {Dir: missing},
		"cwd " + file + ": not a folder: name a folder, or leave cwd out":                     {Dir: file},
		"program " + missing + ": no such file: build it, or use mode debug with its package": {Mode: "exec", Program: missing},
		"program " + folder + ": a folder: use mode debug":                                    {Mode: "exec", Program: folder},
	} {
		assert.EqualError(t, c.checkPaths(), want)
	}
	text := Configuration{Mode: "exec", Program: file}
	if runtime.GOOS != "windows" {
		assert.EqualError(t, text.checkPaths(), "program "+file+": not executable: name an executable, or use mode debug with a package")
		require.NoError(t, os.Chmod(file, 0o755))
	}
	assert.NoError(t, text.checkPaths())
	assert.NoError(t, (&Configuration{Program: folder, Dir: folder}).checkPaths())
}

// The packages of an executable are those of the modules around its working folder, itself and the debugger.
func TestPackagesAround(t *testing.T) {
	module, other := real(t.TempDir()), real(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module example.invalid/m\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n", "bin/k": ""} {
		path := filepath.Join(module, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	assert.Equal(t, module, moduleOf(filepath.Join(module, "bin")))
	assert.Empty(t, moduleOf(other))
	assert.Equal(t, []goPackage{{module, module, "main"}}, packagesAround(t.Context(), other, filepath.Join(module, "bin"), module))

	t.Chdir(other)
	assert.Equal(t, "started in "+other+", outside the module: start the debugger in the module's folder or set cwd", new(program).outside(&Configuration{Mode: "exec"}))
	no := false
	assert.Empty(t, new(program).outside(&Configuration{Mode: "exec", DebugInfo: &no}))
	assert.Empty(t, (&program{packages: make([]goPackage, 1)}).outside(&Configuration{Mode: "exec"}))
}

// A program that launches no kernel says so, unless its flags were wanted; a test binary says that a test is not there.
func TestIdle(t *testing.T) {
	assert.Equal(t, "no kernel was launched: the program has only loaded kernels", new(program).idle(true, true))
	assert.Equal(t, "no kernel was launched: the program has opened a simulated device, and loaded no kernel there", new(program).idle(true, false))
	assert.Contains(t, new(program).idle(false, false), "an import of runtime/sim")
	sim := []goPackage{{dir: "cudagen/runtime/sim"}, {dir: "k"}}
	assert.Equal(t, "no kernel was launched: the program has opened no simulated device", (&program{packages: sim, folder: "built"}).idle(false, false))
	assert.Contains(t, (&program{packages: sim}).idle(false, false), "an import of runtime/sim", "an executable may be of other packages")
	assert.True(t, (&program{args: []string{"-n", "--help"}}).asksHelp())
	assert.False(t, (&program{args: []string{"help"}}).asksHelp())
	s := &session{out: new(bytes.Buffer)}
	o := output{s, "stderr", &s.noTests}
	o.Write([]byte("testing: no\n"))
	assert.False(t, s.noTests.Load())
	o.Write([]byte("testing: warning: no tests to run\n"))
	assert.True(t, s.noTests.Load())
}
