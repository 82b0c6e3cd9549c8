// Package jitlinklib calls nvJitLink, NVIDIA's library that links device code, through purego: no
// cgo, no GPU, no driver.
//
// Find finds the library, Open opens it, and Library.Link links inputs.
//
// With -tags cudagen_nodriver, and on systems without nvJitLink, Open returns an error and the
// package does not import purego.
//
// nvJitLink, User Interface.
package jitlinklib

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/internal/nvrtclib"
)

// A Kind is a kind of input: the values of nvJitLinkInputType.
type Kind int32

// The kinds.
const (
	Cubin   Kind = 1
	PTX     Kind = 2
	LTOIR   Kind = 3
	Fatbin  Kind = 4
	Object  Kind = 5
	Archive Kind = 6
)

// An Input is one of the codes that are linked.
type Input struct {
	Kind Kind
	Name string // in messages
	Data []byte
}

// A Job is what Link links.
type Job struct {
	Inputs  []Input
	Options []string // -arch=sm_90, -lto …
	PTX     bool     // the result is PTX: with -lto and -ptx
}

// A Result is the output of a link.
type Result struct {
	Code []byte // a cubin, or PTX without a zero byte at its end
	Log  string // warnings, or ""
}

// A Location is the location of an nvJitLink library.
type Location = nvrtclib.Location

// Find looks for nvJitLink's library in the places where nvrtclib.Find looks for NVRTC's, and
// for the file $NVJITLINK_LIB first. The error is a *NotFoundError.
func Find(env func(string) string) (Location, error) {
	location, searched, ok := nvrtclib.FindSibling(env, nvrtclib.Sibling{
		Variable: "NVJITLINK_LIB", Linux: "libnvJitLink.so*", Windows: "nvJitLink_*_0.dll", Wheel: "nvjitlink",
	})
	if !ok {
		return Location{}, &NotFoundError{Searched: searched}
	}
	return location, nil
}

// A NotFoundError reports that nvJitLink was not found, the places that were searched, and how to
// install it.
type NotFoundError struct {
	Searched []string // in order
}

// InstallHint tells in one line how to install nvJitLink.
const InstallHint = "run cudagen toolchain install -with nvjitlink, install a CUDA toolkit 12.0 or newer, or set NVJITLINK_LIB to the library's path"

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no nvJitLink in %s: %s", strings.Join(e.Searched, ", "), InstallHint)
}

// A LinkError reports that nvJitLink cannot link the inputs, or that one of its functions failed.
type LinkError struct {
	Library  string // its path
	Function string // nvJitLinkComplete
	Input    string // the name of the input that was added, or ""
	Result   string // NVJITLINK_ERROR_PTX_COMPILE
	Log      string // what nvJitLink said, or ""
}

func (e *LinkError) Error() string {
	text := e.Function
	if e.Input != "" {
		text += " " + e.Input
	}
	text += ": " + e.Result
	if e.Log != "" {
		text += "\n" + strings.TrimRight(e.Log, "\n")
	}
	return text
}

// results are the values of nvJitLinkResult, from 0 on.
var results = []string{
	"NVJITLINK_SUCCESS", "NVJITLINK_ERROR_UNRECOGNIZED_OPTION", "NVJITLINK_ERROR_MISSING_ARCH", "NVJITLINK_ERROR_INVALID_INPUT",
	"NVJITLINK_ERROR_PTX_COMPILE", "NVJITLINK_ERROR_NVVM_COMPILE", "NVJITLINK_ERROR_INTERNAL", "NVJITLINK_ERROR_THREADPOOL",
	"NVJITLINK_ERROR_UNRECOGNIZED_INPUT", "NVJITLINK_ERROR_FINALIZE", "NVJITLINK_ERROR_NULL_INPUT", "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS",
	"NVJITLINK_ERROR_INCORRECT_INPUT_TYPE", "NVJITLINK_ERROR_ARCH_MISMATCH", "NVJITLINK_ERROR_OUTDATED_LIBRARY", "NVJITLINK_ERROR_MISSING_FATBIN",
	"NVJITLINK_ERROR_UNRECOGNIZED_ARCH", "NVJITLINK_ERROR_UNSUPPORTED_ARCH", "NVJITLINK_ERROR_LTO_NOT_ENABLED",
}

func resultName(result int32) string {
	if result >= 0 && int(result) < len(results) {
		return results[result]
	}
	return fmt.Sprintf("nvJitLinkResult %d", result)
}
