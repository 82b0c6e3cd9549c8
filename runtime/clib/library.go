package clib

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/internal/dynlib"
	"github.com/cudagen/cudagen/internal/nvrtclib"
	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// A Library is a C library. It is opened when a function of it is called first, and stays open.
type Library struct {
	Name    string   // cublas
	Linux   []string // names of its file, the one that is preferred first: libcublas.so.13
	Windows []string
	Of      string // the library of the CUDA toolkit that it comes with, if that has another name: cublas for cublasLt

	Version  string // that of the header which the Go package was made of: 13.1.0; "" if it is not known
	Property string // the C function that returns the numbers of the library that was opened; "" for none

	mu     sync.Mutex
	handle uintptr
	path   string
}

// variable returns the name of the environment variable that names the file of l.
func (l *Library) variable() string {
	return "CUDAGEN_LIB" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_' // a shell takes no other
	}, strings.ToUpper(l.Name))
}

// open opens l. A failure is not kept: the file may come.
func (l *Library) open() (handle uintptr, path string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handle != 0 {
		return l.handle, l.path, nil
	}
	files := l.Linux
	if runtime.GOOS == "windows" {
		files = l.Windows
	}
	if len(files) == 0 {
		return 0, "", fmt.Errorf("library %s has no file for %s: %w", l.Name, runtime.GOOS, errors.ErrUnsupported)
	}
	if !loadable {
		return 0, "", dynlib.Absent(files[0])
	}
	var searched []string
	if path = l.file(files, &searched); path != "" {
		if l.handle, err = load(path); err != nil {
			return 0, "", fmt.Errorf("library %s: %w", path, err)
		}
		l.path = path
		return l.handle, l.path, nil
	}
	return 0, "", fmt.Errorf("library %s is not found: there is no %s in %s; %s", l.Name, strings.Join(files, " or "), strings.Join(searched, ", "), l.hint())
}

// opened returns the version of the library that was opened, behind " of version "; "" if it cannot be asked.
func (l *Library) opened(handle uintptr) string {
	address := uintptr(0)
	if l.Property != "" {
		address = symbol(handle, l.Property)
	}
	if address == 0 {
		return ""
	}
	var numbers []string
	for part := range uintptr(3) { // MAJOR_VERSION, MINOR_VERSION and PATCH_LEVEL of libraryPropertyType
		var number int32
		words := struct {
			part  uintptr
			value unsafe.Pointer
		}{part, unsafe.Pointer(&number)}
		if status := ccall.Invoke(&ccall.Call{Function: address, Words: unsafe.Pointer(&words), Count: 2}); int32(status) != 0 {
			return ""
		}
		numbers = append(numbers, strconv.Itoa(int(number)))
	}
	return prefixed(" of version ", strings.Join(numbers, "."))
}

// prefixed returns text behind prefix, and nothing for nothing.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// hint says how to get l.
func (l *Library) hint() string {
	return fmt.Sprintf("install it (cudagen toolchain install -with %s for a library of the CUDA toolkit), or set %s to its path", l.toolkit(), l.variable())
}

// toolkit returns what l is called where libraries of the CUDA toolkit are installed.
func (l *Library) toolkit() string { return cmp.Or(l.Of, l.Name) }

// file returns the path of a file of l: the one that the environment names, one beside the program, or one where the loader and CUDA
// toolkits have theirs; "" for none.
func (l *Library) file(files []string, searched *[]string) string {
	if named := os.Getenv(l.variable()); named != "" {
		return named
	}
	if program, err := os.Executable(); err == nil {
		folder := filepath.Dir(program)
		*searched = append(*searched, folder)
		for _, file := range files {
			if info, err := os.Stat(filepath.Join(folder, file)); err == nil && !info.IsDir() {
				return filepath.Join(folder, file)
			}
		}
	}
	for i, file := range files {
		location, places, ok := nvrtclib.FindSibling(os.Getenv, nvrtclib.Sibling{Variable: l.variable(), Linux: file, Windows: file, Wheel: l.toolkit()})
		if ok {
			return location.Path
		}
		if i == 0 {
			*searched = append(*searched, places...)
		}
	}
	return ""
}

// A Function is a C function.
type Function struct {
	Library *Library
	Symbol  string
	Silent  bool // it ends or sets a handle, and returns nothing
	Number  bool // it ends or sets a handle, and returns a number that is no status: 0 if it has done so

	address atomic.Uintptr
}

// find returns the address of f.
func (f *Function) find() (uintptr, error) {
	if address := f.address.Load(); address != 0 {
		return address, nil
	}
	return f.search()
}

func (f *Function) search() (uintptr, error) {
	handle, path, err := f.Library.open()
	if err != nil {
		return 0, err
	}
	address := symbol(handle, f.Symbol)
	if address == 0 {
		return 0, fmt.Errorf("%s%s has no function of that name, which the header%s of the Go package has: use another version of the library; %w",
			path, f.Library.opened(handle), prefixed(" of version ", f.Library.Version), errors.ErrUnsupported)
	}
	f.address.Store(address)
	return address, nil
}
