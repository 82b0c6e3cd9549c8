package nccl

import (
	"fmt"
	"os"
	"sync"
)

// libraryVariable names the file of NCCL.
const libraryVariable = "CUDAGEN_LIBNCCL"

// loaded is NCCL, or why it cannot be loaded, once that was tried.
var loaded struct {
	sync.Mutex
	library *library
	err     error
}

// nccl returns the library. It is loaded once in a process.
func nccl() (*library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.library == nil && loaded.err == nil {
		loaded.library, loaded.err = openLibrary(os.Getenv(libraryVariable))
	}
	return loaded.library, loaded.err
}

// Version returns the version of NCCL as NCCL writes it: 22809 is 2.28.9. It loads the library.
func Version() (int, error) {
	l, err := nccl()
	if err != nil {
		return 0, err
	}
	return l.version, nil
}

// needs returns an error if the library lacks s.
func (l *library) needs(op string, s symbol) error {
	if l.has(s) {
		return nil
	}
	return &Error{Op: op, Detail: fmt.Sprintf("NCCL %s has no %s", versionText(l.version), symbolTable[s].name),
		Hint: "install NCCL " + versionText(symbolTable[s].since) + " or newer", Err: ErrUnsupported}
}
