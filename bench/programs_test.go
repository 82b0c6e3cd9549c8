// Package bench_test runs the programs that need a GPU over the fake libcuda, for a few
// rounds: their figures mean nothing there.
package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
)

func TestPrograms(t *testing.T) {
	cc, dir := testenv.CCPath(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	run := func(name string, args ...string) string {
		t.Helper()
		command := exec.Command(name, args...)
		command.Env = append(os.Environ(), "CUDAGEN_LIBCUDA="+in("libcuda.so.1"))
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}
	run(cc, "-O2", "-shared", "-fPIC", "-pthread", "-DFAKE_VERSION=13000", "-DFAKE_EMPTY_LAUNCH", "-o", in("libcuda.so.1"), "../internal/fakecuda/src/libcuda.c")
	strict := []string{"-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-pthread"}
	run(cc, append(strict, "-shared", "-o", in("launch.so"), "launch/c/launch.c", "-ldl")...)
	run(cc, append(strict, "-shared", "-o", in("operations.so"), "operations/c/operations.c", "-ldl")...)
	run(cc, append(strict, "-shared", "-o", in("graphs.so"), "graphs/c/graphs.c", "-ldl")...)
	run(cc, append(strict, "-shared", "-o", in("shared.so"), "shared/c/shared.c", "-ldl")...)
	run(cc, append(strict, "-o", in("first-c"), "start/c/first.c", "-ldl")...)
	run(testenv.GoPath(t), "build", "-o", dir, "./launch", "./operations", "./graphs", "./shared", "./start", "./start/first", "./waiters")

	tests := []struct {
		name, program string
		args          []string
		want          []string // in the output
	}{
		{"launch", "launch", []string{"-c", in("launch.so"), "-rounds", "3", "-count", "16", "-peer", "sh testdata/peer.sh"}, []string{"| saxpy, 4 parameters | Go, Saxpy.Launch | ", "| saxpy, 4 parameters | a peer 1.0 | 7000 | "}},
		{"a peer that is not there", "launch", []string{"-c", in("launch.so"), "-rounds", "3", "-count", "16", "-peer", "sh testdata/nopeer.sh"}, []string{"no row for sh testdata/nopeer.sh: there is no such library", "| Go, Saxpy.Launch | "}},
		{"operations", "operations", []string{"-c", in("operations.so"), "-rounds", "3", "-count", "16", "-launches", "16"}, []string{"| record an event | ", "| allocate 4 KiB from the pool and free it | ", " million | "}},
		{"graphs", "graphs", []string{"-c", in("graphs.so"), "-rounds", "3", "-count", "4", "-builds", "3"}, []string{"| launch a graph of 20 kernels | ", "| build a chain of 1,000 prepared calls | "}},
		{"shared", "shared", []string{"-c", in("shared.so"), "-rounds", "3", "-launches", "16"}, []string{"| one buffer of the device | ", "| managed memory | "}},
		{"start", "start", []string{"-go", in("first"), "-c", in("first-c"), "-rounds", "3"}, []string{"| C | ", "| Go | "}},
		{"waiters", "waiters", []string{"-goroutines", "500"}, []string{"| 500 | "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := run(in(tt.program), tt.args...)
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s %v: the output lacks %q:\n%s", tt.program, tt.args, want, out)
				}
			}
		})
	}
}
