//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A library is a loaded libnccl.
type library struct {
	version   int
	addresses [symbols]uintptr
}

// libraryNames are where NCCL is looked for.
var libraryNames = []string{"libnccl.so.2", "libnccl.so"}

// openLibrary loads the library at path, or where the dynamic linker finds it.
func openLibrary(path string) (*library, error) {
	const op = "load NCCL"
	names := libraryNames
	if path != "" {
		names = []string{path}
	}
	var handle uintptr
	var failed error
	for _, name := range names {
		h, err := dlopen(name)
		if err == nil {
			handle = h
			break
		}
		if failed == nil || strings.Contains(failed.Error(), name+": cannot open") {
			failed = err
		}
	}
	if handle == 0 {
		return nil, &Error{Op: op, Err: errors.Join(ErrNotInstalled, failed), Hint: missingHint(failed.Error())}
	}
	l := new(library)
	for s := range symbols {
		l.addresses[s], _ = purego.Dlsym(handle, symbolTable[s].name)
	}
	if !l.has(getVersion) {
		return nil, &Error{Op: op, Detail: "the library has no ncclGetVersion: it is not NCCL", Hint: "see " + libraryVariable, Err: ErrNotInstalled}
	}
	f := newFrame()
	defer f.free()
	f.args[0] = f.outAddress()
	if r := l.call(getVersion, f, 1); r != Success {
		return nil, &Error{Op: op, Detail: "ask for the version", Err: r}
	}
	l.version = int(int32(f.out))
	for s := range symbols {
		if !l.has(s) && symbolTable[s].since == 0 {
			return nil, &Error{Op: op, Detail: fmt.Sprintf("NCCL %s has no %s", versionText(l.version), symbolTable[s].name),
				Hint: "install NCCL " + versionText(oldest) + " or newer", Err: ErrUnsupported}
		}
	}
	if l.version < oldest {
		return nil, &Error{Op: op, Detail: "this is NCCL " + versionText(l.version), Hint: "install NCCL " + versionText(oldest) + " or newer", Err: ErrUnsupported}
	}
	return l, nil
}

// dlopen loads a library. dlerror speaks of the calling thread.
func dlopen(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

// missingHint says what to do about an error of the dynamic linker.
func missingHint(text string) string {
	if strings.Contains(text, "libstdc++") || strings.Contains(text, "libgcc_s") {
		return "NCCL needs the C++ runtime libraries: install them (Debian and Ubuntu: apt install libstdc++6)"
	}
	return "install NCCL (libnccl2 of NVIDIA's packages, or the wheel nvidia-nccl-cu13), have the dynamic linker find libnccl.so.2, or set " + libraryVariable + " to its path"
}

func (l *library) has(s symbol) bool { return l.addresses[s] != 0 }

// A frame holds the arguments and results of a call. It is in the heap, so their addresses stay
// valid while the goroutine's stack grows.
type frame struct {
	args [22]uintptr // ncclCommInitRankConfig takes the id by value
	out  uintptr
}

var frames = sync.Pool{New: func() any { return new(frame) }}

func newFrame() *frame { return frames.Get().(*frame) }

func (f *frame) free() {
	*f = frame{}
	frames.Put(f)
}

// outAddress returns the address of f.out, for NCCL to write to.
func (f *frame) outAddress() uintptr { return uintptr(unsafe.Pointer(&f.out)) }

// call calls s with the first n arguments of f. Results are 32 bits wide.
func (l *library) call(s symbol, f *frame, n int) Result {
	r, _, _ := purego.SyscallN(l.addresses[s], f.args[:n]...)
	return Result(int32(r))
}

// text returns a string of C.
func text(p uintptr) string {
	if p == 0 {
		return ""
	}
	var b []byte
	for at := *(*unsafe.Pointer)(unsafe.Pointer(&p)); *(*byte)(at) != 0 && len(b) < 4096; at = unsafe.Add(at, 1) {
		b = append(b, *(*byte)(at))
	}
	return string(b)
}

// lastError returns what NCCL says of the last error of the process, or "".
func (l *library) lastError() string {
	f := newFrame()
	defer f.free()
	p, _, _ := purego.SyscallN(l.addresses[getLastError], f.args[:1]...)
	return strings.TrimSpace(text(p))
}

// An id names a communicator of NCCL: ncclUniqueId.
type id [128]byte

// address returns the address of *p as a number, for C. *p is in the heap because of it: a stack moves when it grows, and numbers
// do not follow.
func address[T any](p *T) uintptr {
	if escape.asked {
		escape.to = unsafe.Pointer(p)
	}
	return uintptr(unsafe.Pointer(p))
}

// escape keeps no pointer: asked is never set, which the compiler does not know.
var escape struct {
	asked bool
	to    unsafe.Pointer
}

// newID returns the id of a communicator. This process listens for the other ranks.
func (l *library) newID() (made id, err error) {
	p := new(id)
	f := newFrame()
	defer f.free()
	f.args[0] = address(p)
	if r := l.call(getUniqueID, f, 1); r != Success {
		return made, &Error{Op: "make an id", Detail: l.lastError(), Err: r}
	}
	runtime.KeepAlive(p)
	return *p, nil
}

// config is the beginning of ncclConfig_t that NCCL 2.14 had already. Later versions take what
// comes behind as undefined: they copy size bytes.
type config struct {
	size           uint64
	magic, version uint32
	blocking       int32
	cgaClusterSize int32
}

// newConfig returns the configuration of a communicator.
func newConfig(cfg CommConfig) *config {
	const undefined = -1 << 31 // NCCL_CONFIG_UNDEF_INT
	c := &config{size: uint64(unsafe.Sizeof(config{})), magic: 0xcafebeef, version: 21400, cgaClusterSize: undefined}
	if cfg.Blocking {
		c.blocking = 1
	}
	return c
}

// initRank begins to join the communicator. *into gets its handle, at once or until the
// communicator is no longer in progress.
func (l *library) initRank(into *uintptr, size, rank int, made *id, c *config) Result {
	f := newFrame()
	defer f.free()
	defer runtime.KeepAlive(made)
	defer runtime.KeepAlive(c)
	if l.has(initRankScalable) { // which takes the id's address
		copy(f.args[:], []uintptr{address(into), uintptr(size), uintptr(rank), 1, address(made), address(c)})
		return l.call(initRankScalable, f, 6)
	}
	args := idByValue(address(into), uintptr(size), uintptr(rank), made, address(c))
	n := copy(f.args[:], args)
	return l.call(initRankConfig, f, n)
}

// split begins to make the communicator of the ranks that have the same color.
func (l *library) split(comm uintptr, color, key int, into *uintptr, c *config) Result {
	f := newFrame()
	defer f.free()
	defer runtime.KeepAlive(c)
	copy(f.args[:], []uintptr{comm, uintptr(color), uintptr(key), address(into), address(c)})
	return l.call(commSplit, f, 5)
}
