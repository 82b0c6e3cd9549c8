package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// headers returns cuda.h and the files of typedefs of the CUDA toolkit that nvcc belongs to.
func headers(t *testing.T) (cuda, typedefs string) {
	nvcc, err := filepath.EvalSymlinks(testenv.NVCCPath(t))
	require.NoError(t, err)
	var texts [3]string
	for i, name := range []string{"cuda.h", "cudaTypedefs.h", "cudaProfilerTypedefs.h"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(nvcc), "..", "include", name))
		require.NoError(t, err)
		texts[i] = string(text)
	}
	return texts[0], texts[1] + texts[2]
}

// prototype returns the parameters' types of the entry point as NVIDIA's header has them
// for the version that the row states: "int *", "CUdevice", without const and _v1.
func (r row) prototype(typedefs string) (types []string, err error) {
	pattern := regexp.MustCompile(fmt.Sprintf(`\*PFN_cu%s_v%d\)\((.*)\);`, r.name, r.since))
	m := pattern.FindStringSubmatch(typedefs)
	if m == nil {
		return nil, fmt.Errorf("the header has no PFN_cu%s_v%d", r.name, r.since)
	}
	return parameterTypes(m[1]), nil
}

var (
	parameterName = regexp.MustCompile(`\b\w+(\[\d+\])?$`)
	typeVersion   = regexp.MustCompile(`_v\d+\b`)
)

// parameterTypes splits a list of C parameters with names.
func parameterTypes(list string) (types []string) {
	if list = strings.TrimSpace(list); list == "" || list == "void" {
		return nil
	}
	depth, from := 0, 0
	for i, c := range list + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			typ := strings.TrimSpace(list[from:i])
			array := strings.HasSuffix(typ, "]")
			if !strings.Contains(typ, "(") {
				typ = strings.TrimSpace(parameterName.ReplaceAllString(typ, ""))
			}
			if array {
				typ += " *"
			}
			typ = typeVersion.ReplaceAllString(strings.ReplaceAll(typ, "const ", ""), "")
			types = append(types, strings.Join(strings.Fields(strings.ReplaceAll(typ, "*", " * ")), " "))
			from = i + 1
		}
	}
	return types
}

// inC holds the C types that a Go type stands for. Named types are called in C as in Go,
// with CU in front, but for those here.
var inC = map[string][]string{
	"int": {"int"}, "uint8": {"unsigned char"}, "uint16": {"unsigned short"}, "uint32": {"unsigned int"},
	"uint64": {"size_t", "cuuint64_t"}, "bool": {"int"}, "float32": {"float"}, "unsafe.Pointer": {"void *"},
	"DevicePtr": {"CUdeviceptr"}, "Kernel": {"CUkernel", "CUfunction"}, "MemPool": {"CUmemoryPool"}, "MemAdvice": {"CUmem_advise"},
}

// standsFor says whether the Go type may be passed where C has the other.
func standsFor(goType, cType string) bool {
	if types, ok := inC[goType]; ok {
		for _, t := range types {
			if t == cType {
				return true
			}
		}
		return false
	}
	return strings.EqualFold("CU"+goType, strings.ReplaceAll(cType, "_", ""))
}

// disagreement compares the arguments of the generated call with the header's.
func (r row) disagreement(types []string) string {
	if len(types) != len(r.call) {
		return fmt.Sprintf("%d arguments, the header has %d: %q", len(r.call), len(types), types)
	}
	for i, a := range r.call {
		switch {
		case a.result >= 0:
			pointee, ok := strings.CutSuffix(types[i], " *")
			// An attribute's value is a void * in C.
			if goType := r.results[a.result].typ; !ok || !standsFor(goType, pointee) && pointee != "void" {
				return fmt.Sprintf("argument %d: the address of a %s, the header has %s", i, goType, types[i])
			}
		case a.param >= 0:
			// A Go int is as wide as a size_t.
			if goType := r.params[a.param].typ; !standsFor(goType, types[i]) && !(goType == "int" && types[i] == "size_t") {
				return fmt.Sprintf("argument %d: a %s, the header has %s", i, goType, types[i])
			}
		}
	}
	return ""
}

// TestCallsAreTheHeaders compares the arguments of each generated call, their order and
// types, with the prototype of the version that the table states.
func TestCallsAreTheHeaders(t *testing.T) {
	_, typedefs := headers(t)
	table, err := readTable("..")
	require.NoError(t, err)
	compared := 0
	for _, r := range table.rows {
		if r.noEntryPoint || r.byHand {
			continue
		}
		types, err := r.prototype(typedefs)
		require.NoError(t, err)
		assert.Empty(t, r.disagreement(types), r.name)
		compared++
	}
	assert.Greater(t, compared, 45)

	for row, want := range map[string]string{
		"StreamWaitEvent(e Event, s Stream, flags uint32) Result // CUDA 3.2":                   "argument 0: a Event, the header has CUstream",
		"EventQuery() Result // CUDA 2.0":                                                       "0 arguments, the header has 1",
		"EventRecord(e Event) Result // CUDA 2.0":                                               "1 arguments, the header has 2",
		"DeviceTotalMem(dev Device) (int, Result) // CUDA 3.2":                                  "the address of a int, the header has size_t *",
		"KernelGetParamInfo(k Kernel, index int) (offset, size uint64, r Result) // CUDA 12.4":  "argument 0: the address of a uint64, the header has CUkernel",
		"MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) Result // CUDA 12.2":  "4 arguments, the header has 5",
		"StreamCreateWithPriority(priority int, flags uint32) (s Stream, r Result) // CUDA 5.5": "argument 1: a int, the header has unsigned int",
	} {
		table, err := readTable(folder(t, row))
		require.NoError(t, err, row)
		types, err := table.rows[0].prototype(typedefs)
		require.NoError(t, err, row)
		assert.Contains(t, table.rows[0].disagreement(types), want, row)
	}
}

// passing says how C passes a value of the type: in a float register, as a pointer or an
// integer with so many bytes, or as a structure.
func passing(cuda, typ string) string {
	typ = typeVersion.ReplaceAllString(typ, "")
	if before, _, ok := strings.Cut(cuda, " "+typ+";\n"); ok { // another name of a type
		if of, ok := strings.CutPrefix(before[strings.LastIndex(before, "\n")+1:], "typedef "); ok && !strings.Contains(of, " ") {
			typ = of
		}
	}
	switch typ {
	case "float":
		return "float"
	case "size_t", "uint64_t", "cuuint64_t", "CUdeviceptr", "CUtexObject", "CUsurfObject":
		return "8"
	case "int", "unsigned", "unsigned int", "uint32_t", "cuuint32_t", "CUdevice":
		return "4"
	case "unsigned short":
		return "2"
	case "unsigned char":
		return "1"
	case "CUipcMemHandle_v1", "CUipcEventHandle_v1", "ipc_handle": // the fake asserts its size
		if !strings.Contains(cuda, "#define CU_IPC_HANDLE_SIZE 64\n") {
			return "unknown: handles of another size"
		}
		return "64 bytes by value"
	}
	switch {
	case strings.Contains(cuda, "typedef enum "+typ+"_enum "):
		return "4"
	case strings.ContainsAny(typ, "*("), opaque(cuda, typ):
		return "pointer"
	}
	return "unknown: " + typ
}

// opaque says whether the type is a pointer to a structure that the header does not show,
// or to a function.
func opaque(cuda, typ string) bool {
	for line := range strings.Lines(cuda) {
		if rest, ok := strings.CutPrefix(line, "typedef "); ok {
			structure := strings.HasPrefix(rest, "struct ") && strings.Contains(rest, " *"+typ+";")
			if structure || strings.Contains(rest, " (CUDA_CB *"+typ+")(") {
				return true
			}
		}
	}
	return false
}

// TestFakeIsTheHeaders compares the fake driver's parameters with the header's: the fake
// is written by hand, so that it can tell when the table is wrong.
func TestFakeIsTheHeaders(t *testing.T) {
	cuda, typedefs := headers(t)
	files, err := filepath.Glob("../../../../internal/fakecuda/src/*.c")
	require.NoError(t, err)
	fake := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^int (cu\w+)\(([^{;]*)\) \{$`).FindAllStringSubmatch(string(text), -1) {
			fake[m[1]] = m[2]
		}
	}
	ways := func(types []string) (ways []string) {
		for _, typ := range types {
			ways = append(ways, passing(cuda, typ))
		}
		return ways
	}
	table, err := readTable("..")
	require.NoError(t, err)
	for _, r := range table.rows {
		if r.noEntryPoint {
			continue
		}
		list, ok := fake["cu"+r.name+r.suffix]
		if !assert.True(t, ok, "the fake driver has no cu%s%s", r.name, r.suffix) {
			continue
		}
		types, err := r.prototype(typedefs)
		require.NoError(t, err)
		want := ways(types)
		assert.NotContains(t, strings.Join(want, " "), "unknown", r.name)
		assert.Equal(t, want, ways(parameterTypes(list)), r.name)
	}

	assert.Equal(t, []string{"pointer", "pointer", "4"}, ways(parameterTypes("struct stream *s, int (*f)(int, int), CUdevice d")))
	assert.NotEqual(t, ways([]string{"size_t", "int"}), ways(parameterTypes("int n, size_t size")), "the control")
}
