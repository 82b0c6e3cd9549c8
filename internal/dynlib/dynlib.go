//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package dynlib

import (
	"sync"
	"unsafe"
)

// Libraries are opened libraries by their path. They stay open. The zero value has none; any
// goroutine may use it.
type Libraries[L any] struct {
	mu     sync.Mutex
	opened map[string]*L
}

// Open returns the library at path, which open makes when it is asked for first. An error is not kept.
func (ls *Libraries[L]) Open(path string, open func() (*L, error)) (*L, error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l := ls.opened[path]; l != nil {
		return l, nil
	}
	l, err := open()
	if err != nil {
		return nil, err
	}
	if ls.opened == nil {
		ls.opened = make(map[string]*L)
	}
	ls.opened[path] = l
	return l, nil
}

// Read calls two functions: one says how many bytes there are, the other writes them. Zero is their
// success. If one fails, Read returns its result, and ofSize says whether it was that of size.
func Read(size func(*uintptr) int32, get func(*byte) int32) (data []byte, result int32, ofSize bool) {
	var length uintptr
	if r := size(&length); r != 0 {
		return nil, r, true
	}
	if length == 0 {
		return nil, 0, false
	}
	data = make([]byte, length)
	if r := get(&data[0]); r != 0 {
		return nil, r, false
	}
	return data, 0, false
}

// First returns the address of the first element, or nil.
func First(list []*byte) **byte {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// CString returns a copy of s, in Go's heap, that ends with a zero byte.
func CString(s string) *byte {
	text := make([]byte, len(s)+1)
	copy(text, s)
	return &text[0]
}

// GoString copies the text at p, in C memory, up to its zero byte.
func GoString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
