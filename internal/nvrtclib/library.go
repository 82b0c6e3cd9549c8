//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package nvrtclib

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/dynlib"
	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/internal/leftover"
)

// A Library is an opened NVRTC. Any goroutine may call its methods.
type Library struct {
	location     Location
	major, minor int
	archs        []int
	calls        calls
	newer        newerCalls
}

// calls are NVRTC's functions, all of them in CUDA 12.0: getPTX is nvrtcGetPTX. Strings are bytes that end with a zero;
// results are nvrtcResult.
//
// NVRTC User Guide, User Interface.
type calls struct {
	getErrorString       func(result int32) string
	version              func(major, minor *int32) int32
	getNumSupportedArchs func(count *int32) int32
	getSupportedArchs    func(archs *int32) int32
	createProgram        func(program *uintptr, source, name *byte, count int32, headers, includeNames **byte) int32
	destroyProgram       func(program *uintptr) int32
	addNameExpression    func(program uintptr, expression *byte) int32
	compileProgram       func(program uintptr, count int32, options **byte) int32
	getLoweredName       func(program uintptr, expression *byte, lowered **byte) int32
	getProgramLogSize    func(program uintptr, bytes *uintptr) int32
	getProgramLog        func(program uintptr, log *byte) int32
	getPTXSize           func(program uintptr, bytes *uintptr) int32
	getPTX               func(program uintptr, ptx *byte) int32
	getCUBINSize         func(program uintptr, bytes *uintptr) int32
	getCUBIN             func(program uintptr, cubin *byte) int32
}

// newerCalls are those that old versions lack, as 12.0: nil there.
type newerCalls struct {
	setFlowCallback func(program, callback, payload uintptr) int32
}

const (
	resultSuccess     = 0 // NVRTC_SUCCESS
	resultCompilation = 6 // NVRTC_ERROR_COMPILATION
)

// oldestMajor is the first major version of CUDA that cudagen works with.
const oldestMajor = 12

var opened dynlib.Libraries[Library]

// Open loads the library at location. It stays loaded; opening it again returns the same
// Library.
func Open(location Location) (*Library, error) {
	l, err := opened.Open(location.Path, func() (*Library, error) { return open(location) })
	if err != nil {
		return nil, fmt.Errorf("NVRTC %s: %w", location, err)
	}
	return l, nil
}

func open(location Location) (*Library, error) {
	handle, err := dynlib.Load(location.Path)
	if err != nil {
		return nil, err
	}
	l := &Library{location: location}
	find := func(symbol string) uintptr { return dynlib.Symbol(handle, symbol) }
	if missing := dynlib.Bind("nvrtc", &l.calls, find); missing != "" {
		return nil, fmt.Errorf("it is not NVRTC of CUDA %d.0 or newer: it lacks %s: %w", oldestMajor, missing, InstallHint)
	}
	dynlib.Bind("nvrtc", &l.newer, find)
	var major, minor int32
	if r := l.calls.version(&major, &minor); r != resultSuccess {
		return nil, l.failed("nvrtcVersion", r)
	}
	l.major, l.minor = int(major), int(minor)
	if l.major < oldestMajor {
		return nil, diag.OldCompiler.Errorf("CUDA %d.%d is too old: %w", l.major, l.minor, InstallHint)
	}
	// NVRTC opens the builtins by their bare name when it first compiles, and NVIDIA's
	// wheels do not say where they are: what is loaded already is found.
	builtins := filepath.Join(filepath.Dir(location.Path), builtinsName(l.major, l.minor))
	if _, err := os.Stat(builtins); err == nil {
		if _, err := dynlib.Load(builtins); err != nil {
			return nil, err
		}
	}
	var count int32
	if r := l.calls.getNumSupportedArchs(&count); r != resultSuccess {
		return nil, l.failed("nvrtcGetNumSupportedArchs", r)
	}
	archs := make([]int32, max(1, count))
	if r := l.calls.getSupportedArchs(&archs[0]); r != resultSuccess {
		return nil, l.failed("nvrtcGetSupportedArchs", r)
	}
	for _, arch := range archs[:max(0, count)] {
		l.archs = append(l.archs, int(arch))
	}
	slices.Sort(l.archs)
	return l, nil
}

// Location returns the library's location.
func (l *Library) Location() Location { return l.location }

// Version returns the version of CUDA: 13, 0.
func (l *Library) Version() (major, minor int) { return l.major, l.minor }

// SupportedArchs returns the architectures that the library compiles for, ascending:
// 75 for compute_75 and sm_75.
func (l *Library) SupportedArchs() []int { return slices.Clone(l.archs) }

// Compile compiles p. Compilations of one process run one after the other.
//
// If ctx is done, Compile returns an error that wraps its error and its cause, and does not wait for NVRTC. The
// compilation is cancelled where NVRTC can do that, between the steps of its back end; else it
// continues in the background. Its result is dropped. The next compilation begins at once; its
// front end waits in NVRTC while that of the other runs.
//
// Errors in the source are a *CompileError, other failures of NVRTC a *CallError.
func (l *Library) Compile(ctx context.Context, p Program) (*Result, error) {
	if err := checkStrings(p); err != nil {
		return nil, err
	}
	waiting := func() error {
		return fmt.Errorf("compiling %s with NVRTC: %w", p.Name, ended.Cause(ctx))
	}
	if ctx.Err() != nil {
		return nil, waiting()
	}
	r, err := begin(ctx)
	if err != nil {
		return nil, waiting()
	}
	var result *Result
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.end()
		result, err = l.compile(p, r)
	}()
	select {
	case <-done:
		return result, err
	case <-ctx.Done():
		r.abandon()
		return nil, waiting()
	}
}

// checkStrings refuses what C would cut off.
func checkStrings(p Program) error {
	texts := append([]string{p.Source, p.Name}, slices.Concat(p.Options, p.Names, slices.Collect(maps.Keys(p.Headers)), slices.Collect(maps.Values(p.Headers)))...)
	for _, text := range texts {
		if strings.ContainsRune(text, 0) {
			return diag.NVRTCLacks.Errorf("%s: a zero byte in the source, a header, an option or a name: NVRTC would stop reading there", p.Name)
		}
	}
	return nil
}

func (l *Library) compile(p Program, running *running) (result *Result, err error) {
	standard, err := writeStandardHeaders()
	if err != nil {
		return nil, fmt.Errorf("compiling %s with NVRTC: %w", p.Name, err)
	}
	defer leftover.Remove(standard)
	var headers, includeNames []*byte
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		headers, includeNames = append(headers, dynlib.CString(p.Headers[name])), append(includeNames, dynlib.CString(name))
	}
	var program uintptr
	r := l.calls.createProgram(&program, dynlib.CString(p.Source), dynlib.CString(p.Name), int32(len(headers)), dynlib.First(headers), dynlib.First(includeNames))
	if r != resultSuccess {
		return nil, l.failed("nvrtcCreateProgram", r)
	}
	defer func() {
		if r := l.calls.destroyProgram(&program); r != resultSuccess && err == nil {
			result, err = nil, l.failed("nvrtcDestroyProgram", r)
		}
	}()
	if l.newer.setFlowCallback != nil {
		if r := l.newer.setFlowCallback(program, flowCallback(), running.number); r != resultSuccess {
			return nil, l.failed("nvrtcSetFlowCallback", r)
		}
	}
	expressions := dynlib.CStrings(p.Names)
	for _, expression := range expressions {
		if r := l.calls.addNameExpression(program, expression); r != resultSuccess {
			return nil, l.failed("nvrtcAddNameExpression", r)
		}
	}
	options := dynlib.CStrings(append(slices.Clone(p.Options), "-I"+filepath.Join(standard, "rtc")))
	endGuard := guardSignals()
	compiled := l.calls.compileProgram(program, int32(len(options)), dynlib.First(options))
	endGuard()
	runtime.KeepAlive([][]*byte{headers, includeNames, options})
	logText, err := l.read("nvrtcGetProgramLog", program, l.calls.getProgramLogSize, l.calls.getProgramLog)
	if err != nil {
		return nil, err
	}
	log := strings.TrimRight(string(logText), "\x00\n")
	if log != "" {
		log += "\n"
	}
	switch compiled {
	case resultSuccess:
	case resultCompilation:
		return nil, newCompileError(log)
	default:
		failed := l.failed("nvrtcCompileProgram", compiled)
		failed.Log = log
		return nil, failed
	}
	result = &Result{Log: log, Symbols: make(map[string]string, len(p.Names))}
	for i, name := range p.Names {
		var lowered *byte
		if r := l.calls.getLoweredName(program, expressions[i], &lowered); r != resultSuccess {
			return nil, l.failed("nvrtcGetLoweredName", r)
		}
		result.Symbols[name] = dynlib.GoString(lowered)
	}
	if p.Cubin {
		result.Code, err = l.read("nvrtcGetCUBIN", program, l.calls.getCUBINSize, l.calls.getCUBIN)
	} else {
		var ptx []byte
		ptx, err = l.read("nvrtcGetPTX", program, l.calls.getPTXSize, l.calls.getPTX)
		result.Code = []byte(strings.TrimRight(string(ptx), "\x00"))
	}
	if err == nil && len(result.Code) == 0 {
		return nil, fmt.Errorf("compiling %s with NVRTC: it has made neither PTX nor machine code: a flag asks for something else, as -dlto does for LTO-IR, which nvcc -dlto -ltoir makes", p.Name)
	}
	return result, err
}

// read calls a pair of functions that return a size and bytes.
func (l *Library) read(function string, program uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32) ([]byte, error) {
	data, failed, r := dynlib.Read(function, program, size, get)
	if r != resultSuccess {
		return nil, l.failed(failed, r)
	}
	return data, nil
}

func (l *Library) failed(function string, result int32) *CallError {
	return &CallError{Library: l.location.Path, Function: function, Result: l.calls.getErrorString(result)}
}
