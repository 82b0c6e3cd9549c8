package profiled

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// version is that of the format.
const version = 1

// A file is what is written.
type file struct {
	Version    int
	Unfinished bool `json:",omitempty"` // devices were open: launches may have followed
	Begun      map[string]int
	Groups     []*Group
	Images     []string `json:",omitempty"` // the PTX of kernels
	ImageOf    []int    // by group: the number of its image, from 1 on, or 0
}

// Write writes what was counted so far. unfinished says that more may follow.
func (l *Launches) Write(w io.Writer, unfinished bool) error {
	f := file{Version: version, Unfinished: unfinished, Begun: l.Begun(), Groups: l.Groups()}
	numbers := map[string]int{"": 0}
	for _, g := range f.Groups {
		if _, ok := numbers[g.Kernel.Image]; !ok {
			f.Images = append(f.Images, g.Kernel.Image)
			numbers[g.Kernel.Image] = len(f.Images)
		}
		f.ImageOf = append(f.ImageOf, numbers[g.Kernel.Image])
	}
	return json.NewEncoder(w).Encode(f)
}

// Read adds what Write has written. unfinished reports whether the process ended before its devices were closed.
func (l *Launches) Read(r io.Reader) (unfinished bool, err error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return false, fmt.Errorf("is not what CUDAGEN_PROFILE has written: %w", err)
	}
	if f.Version != version {
		return false, fmt.Errorf("was written by another version of cudagen's runtime: it has format %d, and this one reads %d", f.Version, version)
	}
	for n, g := range f.Groups {
		if g.Kernel == nil || len(g.Counts) != len(g.Kernel.Instructions) || len(g.Worst) != len(g.Counts) {
			return false, fmt.Errorf("is damaged: the counts of %s are not those of its instructions", g.Name)
		}
		if n < len(f.ImageOf) && 0 < f.ImageOf[n] && f.ImageOf[n] <= len(f.Images) {
			g.Kernel.Image = f.Images[f.ImageOf[n]-1]
		}
		g.Kernel.Digest = Digest(g.Kernel)
		if l.filter.matches(g.Kernel.Symbol, g.Name) {
			l.add(g)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = make(map[string]int)
	}
	for name, n := range f.Begun {
		l.begun[name] += n
	}
	return f.Unfinished, nil
}

// asked is the profile that CUDAGEN_PROFILE asks for.
var asked struct {
	mu       sync.Mutex
	looked   bool
	launches *Launches // nil unless it does
	path     string
	open     int // devices
	written  time.Time
	failed   bool
}

// writeEvery is how often the file is written while devices are open: what a program that ends without closing them has cost
// is lost since the last time.
const writeEvery = time.Second

// Opened says that a simulated device was opened. The first begins the profile that the environment asks for: CUDAGEN_PROFILE names its
// file, in which %p stands for the number of the process, CUDAGEN_PROFILE_KERNEL a kernel, and CUDAGEN_PROFILE_LAUNCH one of its
// launches.
func Opened() {
	asked.mu.Lock()
	defer asked.mu.Unlock()
	asked.open++
	name := os.Getenv("CUDAGEN_PROFILE")
	if asked.looked || name == "" {
		return
	}
	asked.looked = true
	f := Filter{Kernel: os.Getenv("CUDAGEN_PROFILE_KERNEL")}
	if text := os.Getenv("CUDAGEN_PROFILE_LAUNCH"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "cuda: CUDAGEN_PROFILE_LAUNCH=%s: want the number of a launch, from 1 on: nothing is profiled\n", text)
			return
		}
		f.Launch = n
	}
	asked.launches, asked.path = New(f), strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid()))
	asked.launches.changed = changed
	driver.SetProfiler(asked.launches)
}

// Closed says that a simulated device was closed. The last one writes the file.
func Closed() {
	asked.mu.Lock()
	defer asked.mu.Unlock()
	if asked.open--; asked.launches != nil && asked.open == 0 {
		write(false)
	}
}

// changed says that a launch was counted.
func changed() {
	asked.mu.Lock()
	defer asked.mu.Unlock()
	if time.Since(asked.written) >= writeEvery {
		write(asked.open > 0)
	}
}

// write writes the file anew. asked.mu is held.
func write(unfinished bool) {
	err := replace(asked.path, func(w io.Writer) error { return asked.launches.Write(w, unfinished) })
	if err != nil && !asked.failed {
		asked.failed = true
		fmt.Fprintf(os.Stderr, "cuda: CUDAGEN_PROFILE: %v\n", err)
	}
	asked.written = time.Now()
}

// replace writes the file at path. Who reads it at the same time sees what it was before, or all of it.
func replace(path string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".profile-*")
	if err != nil {
		return err
	}
	err = content(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
