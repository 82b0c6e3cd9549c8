package doctor

import (
	"os"
	"slices"

	"github.com/cudagen/cudagen/internal/compile"
)

const installToolchain = "cudagen toolchain install"

// replacement returns the command that replaces a compiler that does not work.
func replacement(name string) string {
	switch name {
	case "nvcc":
		return `export NVCC="$(` + installToolchain + `)/bin/nvcc"`
	case "nvrtc":
		return `unset NVRTC_LIB; export CUDA_HOME="$(` + installToolchain + `)"`
	}
	return ""
}

// packageManagers are the commands that install a host compiler, and clang.
var packageManagers = []struct{ program, host, clang string }{
	{"apt-get", "apt-get install g++", "apt-get install clang-19"},
	{"dnf", "dnf install gcc-c++", "dnf install clang"},
	{"zypper", "zypper install gcc-c++", "zypper install clang"},
	{"pacman", "pacman -S gcc", "pacman -S clang"},
}

// installCompiler returns the command that installs a missing compiler.
func (e *examination) installCompiler(name string) string {
	if ofToolkit(name) {
		return installToolchain
	}
	for _, m := range packageManagers {
		if _, ok := compile.LookPath(e.env, m.program); ok && name == "clang" {
			return asRoot(m.clang)
		}
	}
	return ""
}

// Host compilers that nvcc can use: the default versions, and older versions for toolkits
// that do not support those.
var (
	plainHosts = []string{"g++", "clang++"}
	olderHosts = []string{"g++-14", "g++-13", "g++-12", "g++-11", "clang++-20", "clang++-19", "clang++-18", "clang++-17"}
)

// nameHostCompiler returns the command that selects the first installed host compiler of a
// list.
func (e *examination) nameHostCompiler(names []string) string {
	for _, name := range names {
		if _, ok := compile.LookPath(e.env, name); ok {
			return "export NVCC_CCBIN=" + name
		}
	}
	return ""
}

// installHostCompiler returns the command that selects an installed host compiler that nvcc
// does not find, or installs one.
func (e *examination) installHostCompiler() string {
	if command := e.nameHostCompiler(slices.Concat(plainHosts, olderHosts)); command != "" {
		return command
	}
	for _, m := range packageManagers {
		if _, ok := compile.LookPath(e.env, m.program); ok {
			return asRoot(m.host)
		}
	}
	return ""
}

func asRoot(command string) string {
	if os.Geteuid() == 0 {
		return command
	}
	return "sudo " + command
}
