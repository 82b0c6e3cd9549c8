//go:build unix

package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// What a fake nvcc does after it has answered --version; $out is its output file. It
// uses nothing but the shell: there are no other programs in $PATH.
const (
	makesPTX    = `printf '.version 9.0\n.target sm_75\n.visible .entry k()\n{\nret;\n}\n' > "$out"` + "\n"
	makesObject = `printf '\177ELF\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$out"` + "\n"
	works       = `echo "#$ _HERE_=$HERE"; echo '#$ "gcc" -D__CUDA_ARCH__=750 -E'
if [ "$ptx" ]; then ` + makesPTX + `else ` + makesObject + `fi
`
)

// fakeMachine returns an environment whose $PATH is a folder with the given scripts,
// and where an nvcc that does body is $NVCC. No NVRTC is there, and no clang, which would compile in each test.
func fakeMachine(t *testing.T, body string, scripts map[string]string) func(string) string {
	t.Helper()
	bin := t.TempDir()
	all := map[string]string{"nvcc": `case "$*" in *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;; *-ptx*) ptx=1;; esac
while [ $# -gt 0 ]; do case "$1" in -o) out=$2;; esac; shift; done
HERE='` + bin + "'\n" + body}
	for name, text := range scripts {
		all[name] = text
	}
	for name, text := range all {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755))
	}
	variables := map[string]string{"PATH": bin, "NVCC": filepath.Join(bin, "nvcc"), "NVRTC_LIB": filepath.Join(bin, "none"), "CUDAGEN_CLANG": filepath.Join(bin, "none")}
	return func(name string) string { return variables[name] }
}

func examined(t *testing.T, env func(string) string, machine Machine) *Report {
	t.Helper()
	report, err := Examine(t.Context(), env, machine)
	require.NoError(t, err)
	return report
}

// nvcc returns what a report says of nvcc.
func nvcc(t *testing.T, r *Report) Compiler {
	t.Helper()
	require.NotEmpty(t, r.Compilers)
	require.Equal(t, "nvcc", r.Compilers[0].Name)
	return r.Compilers[0]
}

// about returns the problems that a report has with a subject.
func about(r *Report, subject string) []Problem {
	var problems []Problem
	for _, p := range r.Problems {
		if p.Subject == subject {
			problems = append(problems, p)
		}
	}
	return problems
}

var h200 = Machine{
	Driver:    Driver{Installed: true, Version: "580.65.06", CUDA: "13.0"},
	Devices:   []Device{{Name: "NVIDIA H200", ComputeCapability: "9.0", UUID: "GPU-1", MemoryBytes: 150 << 30}},
	Simulator: "simulated device",
}

func TestAllIsWell(t *testing.T) {
	env := fakeMachine(t, works, map[string]string{
		"gcc":   "echo 'gcc (Debian) 12.2.0'; echo Copyright",
		"ptxas": "echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'; echo 'Cuda compilation tools, release 13.0, V13.0.88'",
	})
	r := examined(t, env, h200)
	assert.True(t, r.CanCompile)
	assert.Equal(t, Compiler{Name: "nvcc", Found: env("NVCC") + " (from $NVCC)", Version: "13.0.88", PTX: true, MachineCode: true}, nvcc(t, r))
	assert.Equal(t, &Tool{Path: filepath.Join(env("PATH"), "gcc"), Version: "gcc (Debian) 12.2.0"}, r.HostCompiler)
	assert.Equal(t, &Tool{Path: filepath.Join(env("PATH"), "ptxas"), Version: "13.0.88"}, r.PTXAS)
	assert.Empty(t, about(r, "nvcc"))
	assert.Empty(t, about(r, "driver"))

	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	for _, want := range []string{
		`nvcc +13\.0\.88 +makes PTX and machine code +/.*/nvcc \(from \$NVCC\)\n`,
		`host compiler +gcc \(Debian\) 12\.2\.0 +/.*/gcc\n`,
		`ptxas +13\.0\.88 +/.*/ptxas\n`,
		`driver +580\.65\.06 +CUDA 13\.0\n`,
		`device 0 +NVIDIA H200 +compute capability 9\.0 +150\.0 GiB, GPU-1\n`,
		`simulator +simulated device\n`,
	} {
		assert.Regexp(t, want, text.String())
	}
	assert.NotContains(t, text.String(), "no compiler here can compile")
}

func TestProblems(t *testing.T) {
	const replace = `export NVCC="$(cudagen toolchain install)/bin/nvcc"`
	noHost := "echo 'nvcc fatal   : Failed to preprocess host compiler properties.' >&2; exit 1"
	sudo := strings.TrimSuffix(asRoot(""), " ")
	if sudo != "" {
		sudo += " "
	}
	for _, tt := range []struct {
		name, body string
		scripts    map[string]string
		subject    string
		message    string
		remedy     string
		compiles   bool
	}{
		{"no host compiler", noHost, nil, "host compiler", "needs a C++ compiler for the host", "", false},
		{"no host compiler, apt-get", noHost, map[string]string{"apt-get": ""}, "host compiler", "needs a C++ compiler", sudo + "apt-get install g++", false},
		{"no host compiler, dnf", noHost, map[string]string{"dnf": ""}, "host compiler", "needs a C++ compiler", sudo + "dnf install gcc-c++", false},
		{"a host compiler of another name", noHost, map[string]string{"apt-get": "", "clang++-19": ""}, "host compiler", "needs a C++ compiler", "export NVCC_CCBIN=clang++-19", false},
		{"host compiler too new", `echo "host_config.h(139): error: #error -- unsupported GNU version! gcc versions later than 15 are not supported!"; exit 1`,
			map[string]string{"g++": "", "g++-13": ""}, "host compiler", "unsupported GNU version", "export NVCC_CCBIN=g++-13", false},
		{"parts of different versions", `if [ "$ptx" ]; then ` + makesPTX + `exit; fi
echo '#$ TOP=/usr'
echo "ptxas in.ptx, line 9; fatal   : Unsupported .version 9.5; current version is '9.0'" >&2; exit 255`, nil, "nvcc", "its parts have different versions", replace, true},
		{"no ptxas", `if [ "$ptx" ]; then ` + makesPTX + `exit; fi
echo "sh: 1: ptxas: not found" >&2; exit 127`, nil, "nvcc", "it makes no machine code", replace, true},
		{"it crashes", "kill -SEGV $$", nil, "nvcc", "it cannot compile a kernel: ", replace, false},
		{"too old", works, map[string]string{"nvcc": "echo 'Cuda compilation tools, release 11.8, V11.8.89'"}, "nvcc", "too old", replace, false},
		{"it does not tell its version", works, map[string]string{"nvcc": "exit 3"}, "nvcc", "exit status 3", replace, false},
		{"another program", works, map[string]string{"nvcc": ""}, "nvcc", "--version does not name a release", replace, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := examined(t, fakeMachine(t, tt.body, tt.scripts), Machine{})
			assert.Equal(t, tt.compiles, nvcc(t, r).PTX)
			assert.False(t, nvcc(t, r).MachineCode)
			problems := about(r, tt.subject)
			require.Len(t, problems, 1)
			assert.Equal(t, Error, problems[0].Severity)
			assert.Contains(t, problems[0].Message, tt.message)
			assert.NotContains(t, problems[0].Message, "#$", "nvcc's steps are not the message")
			assert.Equal(t, tt.remedy, problems[0].Remedy)
			var text bytes.Buffer
			require.NoError(t, r.WriteText(&text))
			assert.Contains(t, text.String(), tt.message)
			assert.Contains(t, text.String(), tt.remedy)
		})
	}
}

func TestNamedCompilerIsMissing(t *testing.T) {
	env := fakeMachine(t, works, nil)
	r := examined(t, func(name string) string {
		if name == "NVCC" {
			return "/no/such/nvcc"
		}
		return env(name)
	}, Machine{})
	assert.Empty(t, nvcc(t, r).Found)
	require.Len(t, about(r, "nvcc"), 1)
	assert.Contains(t, about(r, "nvcc")[0].Message, `no program "/no/such/nvcc" in $NVCC`)
}

func TestInterruptedExamination(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Examine(ctx, fakeMachine(t, works, nil), Machine{})
	assert.ErrorIs(t, err, context.Canceled)
}

// The JSON form is what others read: its names stay.
func TestJSON(t *testing.T) {
	r := examined(t, fakeMachine(t, "exit 1", nil), h200)
	var out bytes.Buffer
	require.NoError(t, r.WriteJSON(&out))
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(out.Bytes(), &fields))
	assert.JSONEq(t, `{"installed":true,"version":"580.65.06","cuda":"13.0","error":""}`, string(fields["driver"]))
	assert.JSONEq(t, `[{"ordinal":0,"name":"NVIDIA H200","computeCapability":"9.0","uuid":"GPU-1","memoryBytes":161061273600}]`, string(fields["devices"]))
	assert.JSONEq(t, `"simulated device"`, string(fields["simulator"]))
	assert.JSONEq(t, `null`, string(fields["hostCompiler"]))
	assert.JSONEq(t, `null`, string(fields["ptxas"]))
	assert.Contains(t, string(fields["compilers"]), `{"name":"nvcc","found":`)
	assert.Contains(t, string(fields["compilers"]), `"version":"13.0.88","ptx":false,"machineCode":false}`)
	assert.Contains(t, string(fields["problems"]), `{"severity":"error","subject":"nvcc","message":"it cannot compile a kernel: `)
	assert.Contains(t, fields, "canCompile")
	assert.Len(t, fields, 8)
	assert.Equal(t, 1, strings.Count(out.String(), "\n"))
}

// A compiler that no toolkit installs may lack what makes machine code: cudagen needs PTX.
func TestNoMachineCode(t *testing.T) {
	for name, want := range map[string]Problem{
		"clang": {Note, "clang", "it makes PTX, but no machine code: there is no ptxas", ""},
		"nvcc":  {Error, "nvcc", "it makes no machine code: there is no ptxas", `export NVCC="$(cudagen toolchain install)/bin/nvcc"`},
	} {
		e := &examination{report: &Report{}}
		e.noMachineCode(name, errors.New("there is no ptxas"))
		assert.Equal(t, []Problem{want}, e.report.Problems)
	}
}

func TestRealNVCC(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	r := examined(t, os.Getenv, Machine{})
	assert.True(t, r.CanCompile)
	c := nvcc(t, r)
	assert.True(t, c.PTX)
	assert.True(t, c.MachineCode)
	require.NotNil(t, r.HostCompiler)
	assert.NotEmpty(t, r.HostCompiler.Version)
	require.NotNil(t, r.PTXAS)
	assert.Equal(t, c.Version, r.PTXAS.Version)
}

// nvcc without a host compiler is found to be no compiler.
func TestRealNVCCWithoutHostCompiler(t *testing.T) {
	path := testenv.NVCCPath(t)
	env := func(name string) string {
		return map[string]string{"PATH": filepath.Dir(path), "NVCC": path}[name]
	}
	r := examined(t, env, Machine{})
	assert.False(t, nvcc(t, r).PTX)
	assert.Len(t, about(r, "host compiler"), 1)
}

// A compiler that does not end is told, and the rest of the report is there.
func TestCompilerThatHangs(t *testing.T) {
	for name, body := range map[string]string{"nvcc": "exec /bin/sleep 60\n", "at its version": ""} {
		env := fakeMachine(t, body, nil)
		if body == "" {
			require.NoError(t, os.WriteFile(env("NVCC"), []byte("#!/bin/sh\nexec /bin/sleep 60\n"), 0o700))
		}
		r, err := examine(t.Context(), env, h200, 100*time.Millisecond)
		require.NoError(t, err)
		require.Len(t, about(r, "nvcc"), 1, name)
		assert.Contains(t, about(r, "nvcc")[0].Message, "it does not answer within 100ms")
		assert.Equal(t, h200.Devices, r.Devices)
	}
}

func TestCacheThatIsNotUsed(t *testing.T) {
	env := fakeMachine(t, works, nil)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for value, want := range map[string]string{"relative": "CUDAGEN_CACHE=relative: want off or an absolute path", file: "build cache: mkdir " + file + ": not a directory", "off": "", t.TempDir(): ""} {
		r := examined(t, func(name string) string {
			if name == "CUDAGEN_CACHE" {
				return value
			}
			return env(name)
		}, Machine{})
		if want == "" {
			assert.Empty(t, about(r, "cache"), value)
		} else {
			assert.Equal(t, []Problem{{Note, "cache", want, ""}}, about(r, "cache"), value)
		}
	}
}

func TestNotFound(t *testing.T) {
	e := examination{env: fakeMachine(t, works, map[string]string{"apt-get": ""}), report: &Report{}}
	for _, name := range []string{"nvcc", "nvrtc", "clang"} {
		e.notFound(name, &compile.NotFoundError{Wanted: name, Searched: []string{"$PATH", "/usr/bin"}})
	}
	assert.Equal(t, []Problem{
		{Note, "nvcc", "not found in $PATH, /usr/bin", "cudagen toolchain install"},
		{Note, "nvrtc", "not found in $PATH, /usr/bin", "cudagen toolchain install"},
		{Note, "clang", "not found in $PATH, /usr/bin", asRoot("apt-get install clang-19")},
	}, e.report.Problems)

	e.problem(Note, "driver", "none", "")
	e.needCompiler()
	assert.Equal(t, Error, about(e.report, "nvcc")[0].Severity, "nothing compiles")
	assert.Equal(t, Note, about(e.report, "driver")[0].Severity)
}
