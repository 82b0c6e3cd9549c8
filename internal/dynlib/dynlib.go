//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package dynlib

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
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

// Bind makes each function in the struct that calls points to call the symbol of its name behind prefix, at the
// address that find returns: with the prefix nvrtc, getPTX calls nvrtcGetPTX. It returns the name of a symbol without
// an address, or "".
func Bind(prefix string, calls any, find func(symbol string) uintptr) (missing string) {
	functions := reflect.ValueOf(calls).Elem()
	for i, f := range slices.Collect(functions.Type().Fields()) {
		symbol := prefix + strings.ToUpper(f.Name[:1]) + f.Name[1:]
		address := find(symbol)
		if address == 0 {
			return symbol
		}
		purego.RegisterFunc(reflect.NewAt(f.Type, functions.Field(i).Addr().UnsafePointer()).Interface(), address)
	}
	return ""
}

// Read calls two functions with handle: size says how many bytes there are, get writes them. Zero is
// their success. If one fails, Read returns its name, function or function+"Size", and its result.
func Read(function string, handle uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32) (data []byte, failed string, result int32) {
	var length uintptr
	if r := size(handle, &length); r != 0 {
		return nil, function + "Size", r
	}
	if length == 0 {
		return nil, "", 0
	}
	data = make([]byte, length)
	if r := get(handle, &data[0]); r != 0 {
		return nil, function, r
	}
	return data, "", 0
}

// CStrings returns copies of the texts as CString makes them.
func CStrings(texts []string) (list []*byte) {
	for _, text := range texts {
		list = append(list, CString(text))
	}
	return list
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
