package simulated

import (
	"sync"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// The version of cuBLAS of which these functions are, as far as they are there.
const (
	major = 13
	minor = 1
	patch = 0
)

// A settings is what a handle was told. It changes no result.
type settings struct {
	mu         sync.Mutex
	atomics    cublas.AtomicsMode
	math       cublas.Math
	processors int32
}

func init() {
	s := &cublas.Simulated
	s.NewHandle = func(h *cublas.Handle, _ *cuda.Device) error {
		h.SetState(new(settings))
		return nil
	}
	s.HandleGetVersion = func(*cublas.Handle) (int32, error) { return major*10000 + minor*100 + patch, nil }
	s.GetProperty = property
	s.HandleSetWorkspace = func(*cublas.Handle, *cuda.Stream, cuda.Slice[uint8], uint64) error { return nil }
	s.HandleGetAtomicsMode, s.HandleSetAtomicsMode = setting(func(s *settings) *cublas.AtomicsMode { return &s.atomics })
	s.HandleGetMathMode, s.HandleSetMathMode = setting(func(s *settings) *cublas.Math { return &s.math })
	s.HandleGetSmCountTarget, s.HandleSetSmCountTarget = setting(func(s *settings) *int32 { return &s.processors })
}

func property(d *cuda.Device, which cublas.LibraryPropertyType) (int32, error) {
	switch which {
	case cublas.MajorVersion:
		return major, nil
	case cublas.MinorVersion:
		return minor, nil
	case cublas.PatchLevel:
		return patch, nil
	}
	return 0, &clib.Error{Function: "cublasGetProperty", Device: d.String(), Err: cublas.StatusInvalidValue}
}

// setting returns the functions that get and set one of the settings.
func setting[T any](of func(s *settings) *T) (get func(h *cublas.Handle) (T, error), set func(h *cublas.Handle, v T) error) {
	get = func(h *cublas.Handle) (T, error) {
		s := h.State().(*settings)
		s.mu.Lock()
		defer s.mu.Unlock()
		return *of(s), nil
	}
	set = func(h *cublas.Handle, v T) error {
		s := h.State().(*settings)
		s.mu.Lock()
		defer s.mu.Unlock()
		*of(s) = v
		return nil
	}
	return get, set
}
