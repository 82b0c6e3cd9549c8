package compile

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A rtcFlag says what becomes of one of nvcc's arguments with NVRTC.
type rtcFlag struct {
	names []string // nvcc's, with and without a short form
	value bool     // a value follows, joined by = or as the next argument
	as    string   // NVRTC's prefix for the value; empty when NVRTC needs no more than the macros that it implies
	path  bool     // the value is a path
	list  bool     // the value is a list, separated by commas
}

// rtcFlagTable has nvcc's arguments whose form or meaning differs with NVRTC. All others
// are handed over as they are, and NVRTC refuses what it does not know.
//
// NVIDIA CUDA Compiler Driver NVCC, Command Option Description; NVRTC User Guide,
// Supported Compile Options.
var rtcFlagTable = []rtcFlag{
	{names: []string{"-I", "--include-path"}, value: true, as: "-I", path: true, list: true},
	{names: []string{"-isystem", "--system-include"}, value: true, as: "-I", path: true, list: true},
	{names: []string{"-include", "--pre-include"}, value: true, as: "--pre-include=", path: true, list: true},
	{names: []string{"-D", "--define-macro"}, value: true, as: "-D", list: true},
	{names: []string{"-U", "--undefine-macro"}, value: true, as: "-U", list: true},
	{names: []string{"-std", "--std"}, value: true, as: "--std="},
	{names: []string{"-rdc", "--relocatable-device-code"}, value: true, as: "-rdc="},
	{names: []string{"-dc", "--device-c"}, as: "-dc"},
	{names: []string{"-dlto", "--dlink-time-opt"}, as: "-dlto"},
	{names: []string{"-G", "--device-debug"}, as: "-G"},

	// For the host's compiler and for ptxas: neither runs.
	{names: []string{"-ccbin", "--compiler-bindir"}, value: true},
	{names: []string{"-Xcompiler", "--compiler-options"}, value: true},
	{names: []string{"-Xptxas", "--ptxas-options"}, value: true},
	{names: []string{"-t", "--threads"}, value: true},
	{names: []string{"-default-stream", "--default-stream"}, value: true},
	{names: []string{"-O0"}}, {names: []string{"-O1"}}, {names: []string{"-O2"}}, {names: []string{"-O3"}},
	{names: []string{"-m64"}},
	{names: []string{"-allow-unsupported-compiler", "--allow-unsupported-compiler"}},
	{names: []string{"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets"}},

	// What they allow is an error of NVRTC where it is used, or always allowed.
	{names: []string{"-expt-relaxed-constexpr", "--expt-relaxed-constexpr"}},
	{names: []string{"-extended-lambda", "--extended-lambda", "-expt-extended-lambda", "--expt-extended-lambda"}},
}

// rtcFlags turns arguments for nvcc, run in the folder dir, into NVRTC's.
func rtcFlags(flags []string, dir string) ([]string, error) {
	var options []string
	flags = withHostFlags(flags)
	for i := 0; i < len(flags); i++ {
		flag, value, joined, ok := rtcFlagOf(flags[i])
		if !ok {
			options = append(options, flags[i])
			continue
		}
		if flag.value && !joined {
			i++
			if i == len(flags) {
				return nil, diag.Flags.Errorf("argument %s has no value", flags[i-1])
			}
			value = flags[i]
		}
		if flag.as == "" {
			options = append(options, implied(flag.names[0], value)...) // the source is the same one for both
			continue
		}
		values := []string{value}
		if flag.list {
			if strings.Contains(value, `\,`) || strings.Contains(value, ",") && strings.ContainsAny(value, `"'`) {
				return nil, diag.NVRTCLacks.Errorf("argument %s: only nvcc accepts a list with quotes or escaped commas: %w", flags[i], diag.Do("write one argument for each value"))
			}
			values = strings.Split(value, ",")
		}
		for _, value := range values {
			if flag.path {
				value = rtcPath(value, dir, flag.as == "-I")
			}
			options = append(options, flag.as+value)
		}
	}
	return options, nil
}

// LoadFlags translates arguments of nvcc into NVRTC's, for source that is compiled on
// another machine. An argument that names a file or folder is an error.
func LoadFlags(flags []string) ([]string, error) {
	for _, arg := range withHostFlags(flags) {
		if flag, _, _, ok := rtcFlagOf(arg); ok && flag.path {
			return nil, diag.FlagValue.Errorf("argument %s names a file or folder of this machine: %w", arg, diag.Do("name folders of headers with -I, before --"))
		}
	}
	return rtcFlags(flags, "")
}

// rtcFlagOf finds the row of an argument, and the value that is joined to it.
func rtcFlagOf(arg string) (flag rtcFlag, value string, joined, ok bool) {
	for _, flag := range rtcFlagTable {
		for _, name := range flag.names {
			rest, found := strings.CutPrefix(arg, name)
			switch {
			case !found:
			case rest == "":
				return flag, "", false, true
			case !flag.value:
			case rest[0] == '=':
				return flag, rest[1:], true, true
			case len(name) == len("-I"): // -Ifolder, -DNAME
				if name == "-t" {
					continue
				}
				return flag, rest, true, true
			}
		}
	}
	return rtcFlag{}, "", false, false
}

// rtcPath makes a path absolute that the user gave relative to dir. A file to include
// that is not there is looked for in the folders of -I.
func rtcPath(name, dir string, folder bool) string {
	if filepath.IsAbs(name) {
		return name
	}
	full := filepath.Join(dir, name)
	if _, err := os.Stat(full); err != nil && !folder {
		return name
	}
	return full
}
