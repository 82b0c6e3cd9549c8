//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Options for the compiler in the driver. CUDA Driver API, CUjit_option.
const (
	jitInfoLogBuffer           uint32 = 3
	jitInfoLogBufferSizeBytes  uint32 = 4
	jitErrorLogBuffer          uint32 = 5
	jitErrorLogBufferSizeBytes uint32 = 6
)

// A jitLog is what cuLibraryLoadData is given to write the compiler's messages to.
// The driver compiles when a kernel is first asked for, and may read the options and
// write the messages at any time until the library is unloaded: so a jitLog lies
// outside of Go's heap.
type jitLog struct {
	options [4]uint32
	values  [4]uintptr // a pointer or a number, passed as a void *; the driver may write sizes back
	errors  [8192]byte
	info    [4096]byte
}

// newJITLog allocates a jitLog; free releases it.
func newJITLog() (*jitLog, error) {
	p, err := allocOffHeap(unsafe.Sizeof(jitLog{}))
	if err != nil {
		return nil, err
	}
	l := (*jitLog)(p)
	l.options = [4]uint32{jitErrorLogBuffer, jitErrorLogBufferSizeBytes, jitInfoLogBuffer, jitInfoLogBufferSizeBytes}
	l.values = [4]uintptr{
		uintptr(unsafe.Pointer(&l.errors)), unsafe.Sizeof(l.errors),
		uintptr(unsafe.Pointer(&l.info)), unsafe.Sizeof(l.info),
	}
	return l, nil
}

func (l *jitLog) free() { freeOffHeap(unsafe.Pointer(l), unsafe.Sizeof(*l)) }

// text returns the messages so far, errors first.
func (l *jitLog) text() string {
	return strings.TrimSpace(cString(l.errors[:]) + "\n" + cString(l.info[:]))
}

// jitLogs holds the logs of the libraries that are loaded, and of images that were refused,
// until they are read.
type jitLogs struct {
	mu        sync.Mutex
	byLibrary map[driver.Library]*jitLog
	ofRefused map[driver.Library]string
	last      driver.Library // of ofRefused
}

// loaded makes log the log of lib, and frees it when lib is unloaded.
func (l *jitLogs) loaded(lib driver.Library, log *jitLog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byLibrary == nil {
		l.byLibrary = map[driver.Library]*jitLog{}
	}
	l.byLibrary[lib] = log
}

// refused keeps the text of log, whose image the driver refused, and frees it. It returns the
// handle with which text returns it once: an odd number, which no handle of the driver's is.
func (l *jitLogs) refused(log *jitLog) driver.Library {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer log.free()
	text := log.text()
	if text == "" {
		return 0
	}
	if l.ofRefused == nil {
		l.ofRefused = map[driver.Library]string{}
	}
	l.last = (l.last + 2) | 1
	l.ofRefused[l.last] = text
	return l.last
}

func (l *jitLogs) unloaded(lib driver.Library) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if log := l.byLibrary[lib]; log != nil {
		delete(l.byLibrary, lib)
		log.free()
	}
}

// text returns what was said about lib, or about an image that was refused.
func (l *jitLogs) text(lib driver.Library) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text, ok := l.ofRefused[lib]; ok {
		delete(l.ofRefused, lib)
		return text
	}
	if log := l.byLibrary[lib]; log != nil {
		return log.text()
	}
	return ""
}
