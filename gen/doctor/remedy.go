package doctor

import (
	"os"
	"slices"

	"github.com/cudagen/cudagen/gen/compile"
)

const installToolchain = "cudagen toolchain install"

// replacement returns the command that puts a compiler that works in the place of one
// that does not, wherever that was found.
func replacement(name string) string {
	switch name {
	case "nvcc":
		return `export NVCC="$(` + installToolchain + `)/bin/nvcc"`
	case "nvrtc":
		return `unset NVRTC_LIB; export CUDA_HOME="$(` + installToolchain + `)"`
	}
	return ""
}

// packageManagers are the commands that install a compiler for the host, and clang.
var packageManagers = []struct{ program, host, clang string }{
	{"apt-get", "apt-get install g++", "apt-get install clang-19"},
	{"dnf", "dnf install gcc-c++", "dnf install clang"},
	{"zypper", "zypper install gcc-c++", "zypper install clang"},
	{"pacman", "pacman -S gcc", "pacman -S clang"},
}

// installCompiler returns the command that installs a compiler that is nowhere.
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

// Programs that nvcc takes as host compilers when they are named: those of today, and
// those to fall back to when these are newer than the toolkit.
var (
	plainHosts = []string{"g++", "clang++"}
	olderHosts = []string{"g++-14", "g++-13", "g++-12", "g++-11", "clang++-20", "clang++-19", "clang++-18", "clang++-17"}
)

// nameHostCompiler returns the command that names the first host compiler of a list
// that is there.
func (e *examination) nameHostCompiler(names []string) string {
	for _, name := range names {
		if _, ok := compile.LookPath(e.env, name); ok {
			return "export NVCC_CCBIN=" + name
		}
	}
	return ""
}

// installHostCompiler returns the command that gives nvcc a host compiler: one that is
// there under another name than nvcc looks for, or one to be installed.
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
