package main

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A variable is an environment variable of cudagen, of the generator or of generated programs.
type variable struct{ name, line string }

// variables are all of them. Flags of the generator have variables of the same names.
var variables = []variable{
	{"CUDAGEN_ALL", "flag -all"},
	{"CUDAGEN_ARCH", "flag -arch"},
	{"CUDAGEN_CACHE", "folder of the build cache, or off"},
	{"CUDAGEN_CCBIN", "flag -ccbin"},
	{"CUDAGEN_CHECK", "flag -check"},
	{"CUDAGEN_CLANG", "path of clang++"},
	{"CUDAGEN_COMPILER", "flag -compiler"},
	{"CUDAGEN_COVER", "file for what tests of kernels have executed"},
	{"CUDAGEN_DEBUG", "address of the debugger, which sets it"},
	{"CUDAGEN_DEFINE", "flag -D, separated by spaces"},
	{"CUDAGEN_DEVICE", "device of programs: sim, a number such as 0, or a UUID"},
	{"CUDAGEN_DLINK", "flag -dlink, separated by commas"},
	{"CUDAGEN_EMBED", "flag -embed"},
	{"CUDAGEN_FORCE", "flag -force"},
	{"CUDAGEN_INCLUDE", "flag -I, separated as in PATH"},
	{"CUDAGEN_JSON", "flag -json"},
	{"CUDAGEN_KEEP_GOING", "flag -keep-going"},
	{"CUDAGEN_LEAKS", "what programs report of objects that they leave open"},
	{"CUDAGEN_LIB", "with the name of a C library in capitals behind it: path of that library, as in CUDAGEN_LIBCUBLAS"},
	{"CUDAGEN_LIBCUDA", "path of the driver's library"},
	{"CUDAGEN_LIBNCCL", "path of NCCL's library"},
	{"CUDAGEN_MD", "flag -MD"},
	{"CUDAGEN_N", "flag -n"},
	{"CUDAGEN_NCCL_ADDRESS", "host:port where the processes of a program with NCCL meet"},
	{"CUDAGEN_NCCL_JOB", "name of the job, for processes with NCCL"},
	{"CUDAGEN_NCCL_LOCAL_RANK", "number of the process on its host, with NCCL"},
	{"CUDAGEN_NCCL_LOCAL_SIZE", "number of processes on the host, with NCCL"},
	{"CUDAGEN_NCCL_RANK", "number of the process, with NCCL"},
	{"CUDAGEN_NCCL_SIZE", "number of processes, with NCCL"},
	{"CUDAGEN_NCCL_TOKEN", "secret that the processes of a program with NCCL share"},
	{"CUDAGEN_NVTX", "path of NVTX's library, which names ranges for NVIDIA's profilers"},
	{"CUDAGEN_PACKAGES", "flag -packages"},
	{"CUDAGEN_PKG", "flag -pkg"},
	{"CUDAGEN_PROFILE", "file to which a program writes what its kernels cost on simulated devices, for cudagen profile"},
	{"CUDAGEN_PROFILE_KERNEL", "the kernel that is profiled; all without it"},
	{"CUDAGEN_PROFILE_LAUNCH", "the launch of each kernel that is profiled; all without it"},
	{"CUDAGEN_PTX_VERSION", "flag -ptx-version"},
	{"CUDAGEN_REQUIRE", "what cudagen's own tests must not skip"},
	{"CUDAGEN_SIM_CHECKS", "what simulated devices of programs check: all, or words such as races,undefined,stop"},
	{"CUDAGEN_SIM_DEVICES", "number of simulated devices that replace the GPUs"},
	{"CUDAGEN_STD", "flag -std"},
	{"CUDAGEN_TAGS", "flag -tags"},
	{"CUDAGEN_TEMPLATE", "flag -template, separated by commas"},
	{"CUDAGEN_TEST_CACHE", "the folder in which cudagen's own tests share what C compilers make"},
	{"CUDAGEN_TOOLCHAIN_DIR", "folder of toolchain install"},
	{"CUDAGEN_TOOLCHAIN_VERSION", "flag -version of toolchain install"},
	{"CUDAGEN_TOOLCHAIN_WITH", "flag -with of toolchain install"},
	{"CUDAGEN_TRACE", "file to which a program writes a trace of its device work"},
	{"CUDAGEN_TRACE_KERNELS", "1 if the trace measures each kernel"},
	{"CUDAGEN_X", "flag -x"},
}

// warnUnknownVariables reports variables of environ that begin with CUDAGEN_ and mean nothing to
// cudagen, because a mistyped one would be ignored in silence.
func warnUnknownVariables(environ []string, r *reporter) {
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "CUDAGEN_") && !strings.HasPrefix(name, "CUDAGEN_TEST_") && !strings.HasPrefix(name, "CUDAGEN_LIB") && !slices.Contains(names, name) {
			r.warn(diag.UnknownWord.New("there is no variable " + name).With(nearestVariable(name, names)))
		}
	}
}

func nearestVariable(name string, names []string) diag.Message {
	const prefix = "CUDAGEN_"
	var ends []string
	for _, n := range names {
		ends = append(ends, strings.TrimPrefix(n, prefix))
	}
	if end, near := closest(strings.TrimPrefix(name, prefix), ends); near {
		return diag.Hint("did you mean %s%s?", prefix, end)
	}
	return diag.Hint("see %s", diag.Call("help variables"))
}
