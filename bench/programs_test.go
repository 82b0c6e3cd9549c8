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
	run(cc, append(strict, "-shared", "-o", in("textures.so"), "textures/c/textures.c", "-ldl")...)
	run(cc, append(strict, "-shared", "-o", in("tensormaps.so"), "tensormaps/c/tensormaps.c", "-ldl")...)
	run(cc, append(strict, "-shared", "-o", in("shared.so"), "shared/c/shared.c", "-ldl")...)
	run(cc, append(strict, "-o", in("first-c"), "start/c/first.c", "-ldl")...)
	run(testenv.GoPath(t), "build", "-o", dir, "./launch", "./operations", "./graphs", "./shared", "./start", "./start/first", "./waiters", "./requests", "./copies", "./textures", "./tensormaps", "./all")

	for _, version := range []string{"new", "old"} {
		if err := os.Symlink(dir, in(version)); err != nil {
			t.Fatal(err)
		}
	}

	tests := []struct {
		name, program string
		args          []string
		want          []string // in the output
	}{
		{"launch", "launch", []string{"-c", in("launch.so"), "-rounds", "3", "-count", "16", "-peer", "sh testdata/peer.sh"}, []string{"| saxpy, 4 parameters | Go, Saxpy.Launch | ", "| saxpy, 4 parameters | a peer 1.0 | 7000 | ", "| Set with the same configuration", "| Twelve.Launch: more than runtime.cgocall of C", "| Saxpy.Launch ÷ a peer 1.0 | 1 | "}},
		{"a peer that is not there", "launch", []string{"-c", in("launch.so"), "-rounds", "3", "-count", "16", "-peer", "sh testdata/nopeer.sh"}, []string{"no row for sh testdata/nopeer.sh: there is no such library", "| Go, Saxpy.Launch | "}},
		{"operations", "operations", []string{"-c", in("operations.so"), "-rounds", "3", "-count", "16", "-launches", "16"}, []string{"| record an event | ", "| allocate 4 KiB from the pool and free it | ", " million | ", "| record an event: ns more than runtime.cgocall of C | 20 | "}},
		{"graphs", "graphs", []string{"-c", in("graphs.so"), "-rounds", "3", "-count", "4", "-builds", "3", "-peer", "sh testdata/peer.sh"}, []string{"| launch a graph of 20 kernels | ", "| launch a graph of 20 kernels: a peer 1.0 | ", "| GraphExec.Launch ÷ a peer 1.0 | 1 | ", "| build a chain of 1,000 prepared calls | "}},
		{"tensormaps", "tensormaps", []string{"-c", in("tensormaps.so"), "-rounds", "3", "-count", "4"}, []string{"| tiles of 32 × 32 of a matrix of 2048 × 2048 | ", "| tensor-map kernel ÷ C | 1.02 | "}},
		{"textures", "textures", []string{"-c", in("textures.so"), "-rounds", "3", "-count", "4"}, []string{"| 16 filtered elements for each of 1024 × 1024 | ", "| texture sampling ÷ C | 1.02 | "}},
		{"shared", "shared", []string{"-c", in("shared.so"), "-rounds", "3", "-launches", "16"}, []string{"| one buffer of the device | ", "| managed memory | "}},
		{"start", "start", []string{"-go", in("first"), "-c", in("first-c"), "-rounds", "3"}, []string{"| C | ", "| Go | "}},
		{"all", "all", []string{"-dir", dir, "-processes", "2", "-rounds", "3", "-builds", "3", "-requests", "2000", "-python", "", "-log", in("all.log")}, []string{"| goal | at most | old | new | met in |", "| Set with the same configuration, ns | 30 | ", "| GraphExec.Launch of 20 kernels ÷ C | 1.05 | ", "peer-cudarc", "| driver's streams more | 0 |"}},
		{"requests", "requests", []string{"-few", "500", "-many", "3000"}, []string{"| threads more | 0 | ", "| driver's events more | 0 | 0 | 0 | 0 |", "| driver's execs more | 0 | 0 | 0 | 0 |"}},
		{"requests that leak, the control", "requests", []string{"-few", "500", "-many", "3000", "-leak"}, []string{"| driver's events more | 0 | 2500 | 2500 | 2500 |"}},
		{"copies", "copies", []string{"-goroutines", "500", "-rounds", "101", "-large", "1048576"}, []string{"| 4 bytes, idle stream | ", "| 500 | 8 | 100000 | "}},
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

// TestPeers runs the compiled peers over the fake libcuda. The build.sh of peers/rust and
// peers/gorgonia have written them to the folder CUDAGEN_PEERS.
func TestPeers(t *testing.T) {
	peers := os.Getenv("CUDAGEN_PEERS")
	if peers == "" {
		t.Skip("CUDAGEN_PEERS names no folder with what peers/rust/build.sh and peers/gorgonia/build.sh write")
	}
	dir := t.TempDir()
	library := filepath.Join(dir, "libcuda.so.1")
	if out, err := exec.Command(testenv.CCPath(t), "-O2", "-shared", "-fPIC", "-pthread", "-o", library, "testdata/others.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tt := range []struct{ peer, program, want string }{
		{"peer-cudarc", "launch", "ready cudarc 0.19.10\n"},
		{"peer-cudarc", "graphs", "ready cudarc 0.19.10\n"},
		{"peer-cust", "launch", "ready cust 0.3.2\n"},
		{"peer-cust", "graphs", "cust 0.3.2 cannot launch graphs\n"},
		{"peer-cust", "nothing", "usage: launch|graphs IMAGE COUNT\n"},
		{"peer-gorgonia", "launch", "ready gorgonia/cu v0.9.6\n"},
		{"peer-gorgonia", "ctx", "ready gorgonia/cu v0.9.6, through the goroutine of its context\n"},
		{"peer-gorgonia", "graphs", "gorgonia/cu: usage: launch|ctx IMAGE COUNT\n"},
	} {
		command := exec.Command(filepath.Join(peers, tt.peer), tt.program, "../example/kernels.ptx", "16")
		command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "CUDAGEN_PEERS_FAKE=1")
		command.Stdin = strings.NewReader("\n\n")
		out, err := command.Output()
		ready := strings.HasPrefix(tt.want, "ready ")
		if (err == nil) != ready || !strings.HasPrefix(string(out), tt.want) {
			t.Errorf("%s %s: %v, and said %q", tt.peer, tt.program, err, out)
		}
		if lines := strings.Count(string(out), "\n"); ready && lines != 3 {
			t.Errorf("%s %s: %d lines: %q", tt.peer, tt.program, lines, out)
		}
	}
}

// TestNCCLProgram runs bench/nccl with simulated devices, whose ranks are all in Go.
func TestNCCLProgram(t *testing.T) {
	dir := t.TempDir()
	rank := filepath.Join(dir, "nccl-go")
	for _, args := range [][]string{
		{testenv.CCPath(t), "-O2", "-Wall", "-Wextra", "-Werror", "-o", filepath.Join(dir, "nccl-c"), "nccl/c/nccl.c", "-ldl"},
		{testenv.GoPath(t), "build", "-o", rank, "./nccl/rank"},
		{testenv.GoPath(t), "build", "-o", dir, "./nccl"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	command := exec.Command(filepath.Join(dir, "nccl"), "-go", rank, "-c", rank, "-python", "sh", "-script", "testdata/nopeer.sh", "-rounds", "3", "-starts", "1", "-kills", "1", "-largest", "65536")
	command.Env = append(os.Environ(), "CUDAGEN_DEVICE=sim")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"torch.distributed is left out: ", "| 65536 B | C, blocking | ", "ms from the start to the first all-reduce", "kill -9 of rank 1 to the error of rank 0: median "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}
