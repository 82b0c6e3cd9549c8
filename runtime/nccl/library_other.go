//go:build cudagen_nodriver || !linux || !(amd64 || arm64)

package nccl

import (
	"runtime"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A library is a loaded libnccl. This binary has none.
type library struct{ version int }

func openLibrary(string) (*library, error) {
	return nil, &Error{Op: "load NCCL", Detail: "this binary cannot load it: it is for " + runtime.GOOS + "/" + runtime.GOARCH + ", or was built with -tags cudagen_nodriver",
		Hint: "NCCL is for Linux on amd64 and arm64; simulated devices work everywhere", Err: ErrNotInstalled}
}

func (*library) has(symbol) bool { return false }

type id [128]byte

func (*library) newID() (id, error) { return id{}, ErrNotInstalled }

func (s *shared) joinNCCL(*library, *id) (backend, error) { return nil, ErrNotInstalled }

func allocShared(*cuda.Device, uint64) (uint64, func(), error) { return 0, nil, ErrNotInstalled }
