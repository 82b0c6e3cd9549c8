//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package jitlinklib

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/dynlib"
	"github.com/cudagen/cudagen/internal/ended"
)

// A Library is an opened nvJitLink. Any goroutine may call its methods.
type Library struct {
	location     Location
	major, minor uint32
	calls        calls
}

// calls are nvJitLink's functions: create is nvJitLinkCreate, to whose name the header adds a version. Strings are
// bytes that end with a zero.
//
// nvJitLink, User Interface: Linking.
type calls struct {
	create             func(handle *uintptr, count uint32, options **byte) int32
	destroy            func(handle *uintptr) int32
	addData            func(handle uintptr, kind int32, data *byte, size uintptr, name *byte) int32
	complete           func(handle uintptr) int32
	getLinkedCubinSize func(handle uintptr, size *uintptr) int32
	getLinkedCubin     func(handle uintptr, cubin *byte) int32
	getLinkedPtxSize   func(handle uintptr, size *uintptr) int32
	getLinkedPtx       func(handle uintptr, ptx *byte) int32
	getErrorLogSize    func(handle uintptr, size *uintptr) int32
	getErrorLog        func(handle uintptr, log *byte) int32
	getInfoLogSize     func(handle uintptr, size *uintptr) int32
	getInfoLog         func(handle uintptr, log *byte) int32
}

const success = 0 // NVJITLINK_SUCCESS

// oldestMajor is the first major version of nvJitLink.
const oldestMajor = 12

var opened dynlib.Libraries[Library]

// Open loads the library at location. It stays loaded; opening it again returns the same
// Library.
func Open(location Location) (*Library, error) {
	l, err := opened.Open(location.Path, func() (*Library, error) { return open(location) })
	if err != nil {
		return nil, fmt.Errorf("nvJitLink %s: %w", location, err)
	}
	return l, nil
}

func open(location Location) (*Library, error) {
	handle, err := dynlib.Load(location.Path)
	if err != nil {
		return nil, err
	}
	l := &Library{location: location, major: oldestMajor}
	// 12.0 has no function for its version.
	var newer struct {
		version func(major, minor *uint32) int32
	}
	if dynlib.Bind("nvJitLink", &newer, func(symbol string) uintptr { return dynlib.Symbol(handle, symbol) }) == "" {
		if r := newer.version(&l.major, &l.minor); r != success {
			return nil, fmt.Errorf("nvJitLinkVersion: %s", resultName(r))
		}
	}
	if missing := dynlib.Bind("nvJitLink", &l.calls, func(symbol string) uintptr { return l.versioned(handle, symbol) }); missing != "" {
		return nil, fmt.Errorf("it is not nvJitLink of CUDA %d.0 or newer: it lacks %s: %s", oldestMajor, missing, InstallHint)
	}
	return l, nil
}

// versioned returns the address of the newest form of a function: its header calls
// __nvJitLinkCreate_13_0 by the name nvJitLinkCreate.
func (l *Library) versioned(handle uintptr, symbol string) uintptr {
	for minor := int(l.minor); minor >= 0; minor-- {
		if address := dynlib.Symbol(handle, "__"+symbol+"_"+strconv.Itoa(int(l.major))+"_"+strconv.Itoa(minor)); address != 0 {
			return address
		}
	}
	return dynlib.Symbol(handle, symbol)
}

// Version returns the version of CUDA: 13, 0. Of 12.0 it is 12, 0.
func (l *Library) Version() (major, minor int) { return int(l.major), int(l.minor) }

// maxLinks is how many links run at once, those that nobody waits for included: each has a thread
// and memory.
var maxLinks = max(4, runtime.GOMAXPROCS(0))

var links = make(chan struct{}, maxLinks)

// Link links the inputs of a job.
//
// If ctx is done, Link returns an error that wraps its error and its cause, and does not wait for nvJitLink,
// which cannot be interrupted: the link continues in the background, and its result is dropped.
//
// Failures of nvJitLink are a *LinkError.
func (l *Library) Link(ctx context.Context, job Job) (*Result, error) {
	if err := check(job); err != nil {
		return nil, err
	}
	waiting := func() error { return fmt.Errorf("linking with nvJitLink: %w", ended.Cause(ctx)) }
	if ctx.Err() != nil {
		return nil, waiting()
	}
	select {
	case links <- struct{}{}:
	case <-ctx.Done():
		return nil, waiting()
	}
	job.Inputs = slices.Clone(job.Inputs)
	for i := range job.Inputs {
		job.Inputs[i].Data = slices.Clone(job.Inputs[i].Data) // the caller may go on before the link does
	}
	type answer struct {
		result *Result
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() { <-links }()
		// With the same thread for all calls, error logs are those of this link.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		result, err := l.link(job)
		done <- answer{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-ctx.Done():
		return nil, waiting()
	}
}

// check refuses what C would cut off, and inputs without bytes.
func check(job Job) error {
	for _, option := range job.Options {
		if strings.ContainsRune(option, 0) {
			return fmt.Errorf("linking with nvJitLink: a zero byte in option %q", option)
		}
	}
	for _, in := range job.Inputs {
		if strings.ContainsRune(in.Name, 0) {
			return fmt.Errorf("linking with nvJitLink: a zero byte in the name %q", in.Name)
		}
		if len(in.Data) == 0 {
			return fmt.Errorf("linking with nvJitLink: %s is empty", in.Name)
		}
	}
	return nil
}

func (l *Library) link(job Job) (result *Result, err error) {
	options := dynlib.CStrings(job.Options)
	var handle uintptr
	r := l.calls.create(&handle, uint32(len(options)), dynlib.First(options))
	runtime.KeepAlive(options)
	if r != success {
		e := l.failed("nvJitLinkCreate", r)
		e.Log = strings.Join(job.Options, " ")
		return nil, e
	}
	defer func() {
		if r := l.calls.destroy(&handle); r != success && err == nil {
			result, err = nil, l.failed("nvJitLinkDestroy", r)
		}
	}()
	explained := func(function, input string, r int32) error {
		e := l.failed(function, r)
		e.Input = input
		e.Log, _ = l.text(handle, l.calls.getErrorLogSize, l.calls.getErrorLog)
		return e
	}
	var held [][]byte // nvJitLink is not said to copy them
	defer func() { runtime.KeepAlive(held) }()
	for _, in := range job.Inputs {
		data := in.Data
		if in.Kind == PTX && data[len(data)-1] != 0 {
			data = append(data, 0)
		}
		held = append(held, data)
		if r := l.calls.addData(handle, int32(in.Kind), &data[0], uintptr(len(data)), dynlib.CString(in.Name)); r != success {
			return nil, explained("nvJitLinkAddData", in.Name, r)
		}
	}
	if r := l.calls.complete(handle); r != success {
		return nil, explained("nvJitLinkComplete", "", r)
	}
	result = &Result{}
	if result.Log, err = l.text(handle, l.calls.getInfoLogSize, l.calls.getInfoLog); err != nil {
		return nil, err
	}
	if !job.PTX {
		result.Code, err = l.read("nvJitLinkGetLinkedCubin", handle, l.calls.getLinkedCubinSize, l.calls.getLinkedCubin)
	} else {
		result.Code, err = l.read("nvJitLinkGetLinkedPtx", handle, l.calls.getLinkedPtxSize, l.calls.getLinkedPtx)
		result.Code = bytes.TrimRight(result.Code, "\x00")
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// text reads a log.
func (l *Library) text(handle uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32) (string, error) {
	text, err := l.read("nvJitLinkGetLog", handle, size, get)
	return strings.TrimRight(string(text), "\x00\n"), err
}

// read calls a pair of functions that return a size and bytes.
func (l *Library) read(function string, handle uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32) ([]byte, error) {
	data, failed, r := dynlib.Read(function, handle, size, get)
	if r != success {
		return nil, l.failed(failed, r)
	}
	return data, nil
}

func (l *Library) failed(function string, result int32) *LinkError {
	return &LinkError{Library: l.location.Path, Function: function, Result: resultName(result)}
}
