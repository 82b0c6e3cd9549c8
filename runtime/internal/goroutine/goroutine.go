// Package goroutine tells goroutines apart, sets aside their profiling labels, and looks where they are. It knows no
// device.
//
// The runtime has no function for either. A wrong number would be worse than none, so what the
// package reads of the runtime's own memory it has compared with what the runtime prints.
package goroutine

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"unsafe"
)

// ID returns the number of the goroutine, as stack traces print it.
func ID() uint64 {
	if at, ok := idOffset(); ok {
		return *(*uint64)(unsafe.Add(current(), at))
	}
	return printedID()
}

// printedID returns the number that a stack trace prints. It costs microseconds.
func printedID() uint64 {
	var text [64]byte
	fields := bytes.Fields(text[:runtime.Stack(text[:], false)])
	if len(fields) < 2 {
		return 0
	}
	id, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return id
}

// idOffset returns where in the runtime's description of a goroutine its number is, and whether
// that is certain.
var idOffset = sync.OnceValues(findID)

// The number is looked for in the first searched bytes, of probes goroutines: it is found where all
// of them have their own.
const (
	searched = 256
	probes   = 16
)

func findID() (at uintptr, found bool) {
	if current() == nil {
		return 0, false
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	hits := make(map[uintptr]int)
	for range probes {
		all.Go(func() {
			g, id := current(), printedID()
			for at := uintptr(0); at < searched; at += 8 {
				if *(*uint64)(unsafe.Add(g, at)) == id && id != 0 {
					mu.Lock()
					hits[at]++
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	for where, n := range hits {
		if n == probes {
			if found {
				return 0, false
			}
			at, found = where, true
		}
	}
	return at, found
}
