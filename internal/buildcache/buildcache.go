// Package buildcache caches the output of compilers, in memory and in a folder that processes
// share. The key is a hash of all inputs.
//
// Goroutines and processes that ask for the same build at once cause one build. Entries of
// the folder are verified; an entry that is damaged, or that another user could have
// written, is built again and reported, never returned. An unusable folder costs builds,
// but is not an error.
//
// The package knows nothing about compilers or the meaning of the bytes.
package buildcache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/internal/leftover"
)

// A Key is a hash of everything that a build depends on.
type Key [sha256.Size]byte

// Options configure a Cache.
type Options struct {
	Dir         string        // the folder, absolute; empty for none: builds are kept in memory only
	DiskBytes   int64         // the folder's size above which the least recently used go; 0 means 256 MiB
	MemoryBytes int64         // the same for memory; 0 means 64 MiB
	Wait        time.Duration // how long to wait for another process that compiles the same source; 0 means a minute
}

// A Cache caches builds. Any goroutine may call its methods. A nil *Cache caches nothing.
type Cache struct {
	disk     *disk // nil without a folder
	counters counters

	mu      sync.Mutex
	memory  memory
	flights map[Key]*flight
}

// New returns a cache. It does not access the disk.
func New(o Options) *Cache {
	c := &Cache{flights: make(map[Key]*flight)}
	c.memory.limit = orDefault(o.MemoryBytes, 64<<20)
	if o.Dir != "" {
		c.disk = &disk{
			dir: o.Dir, limit: orDefault(o.DiskBytes, 256<<20), wait: orDefault(o.Wait, time.Minute),
			counters: &c.counters, write: (*os.File).Write,
		}
	}
	return c
}

func orDefault[T int64 | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// DefaultDir returns the folder that the environment selects: the absolute path
// $CUDAGEN_CACHE, or cudagen/build in the user's cache folder (os.UserCacheDir). off is
// true when $CUDAGEN_CACHE is off. env is os.Getenv or, in tests, a replacement.
//
// An error means that there is no such folder; a Cache without a folder works in memory.
func DefaultDir(env func(string) string) (dir string, off bool, err error) {
	switch named := env("CUDAGEN_CACHE"); {
	case named == "off":
		return "", true, nil
	case filepath.IsAbs(named):
		return named, false, nil
	case named != "":
		return "", false, fmt.Errorf("CUDAGEN_CACHE=%s: want off or an absolute path", named)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", false, fmt.Errorf("there is no folder for the build cache: %w: set CUDAGEN_CACHE", err)
	}
	return filepath.Join(user, "cudagen", "build"), false, nil
}

// Check reports why the cache that DefaultDir names is not used: builds work without it, and are made each time. It makes the
// folder.
func Check(env func(string) string) error {
	dir, off, err := DefaultDir(env)
	if err != nil || off {
		return err
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	f, err := leftover.File(dir, "tmp-")
	if err != nil {
		return fmt.Errorf("build cache: %w", err)
	}
	err = f.Close()
	leftover.Remove(f.Name())
	return err
}

// An Origin is the source of a build.
type Origin string

// Values of Origin.
const (
	Built  Origin = "built"
	Memory Origin = "memory" // or made at that moment for another goroutine
	Disk   Origin = "disk"
)

// A Result is a build and its origin.
type Result struct {
	Data   string
	Origin Origin

	// Problem is a problem of the folder: a damaged entry, another owner, a full disk.
	// Data is valid nevertheless.
	Problem error
}

// A flight is one build that one or several goroutines wait for.
type flight struct {
	done    chan struct{} // closed when result and err are there
	result  Result
	err     error
	waiting int // who has not gone; guarded by Cache.mu
	cancel  context.CancelFunc
}

// Get returns the build of key, and calls build if there is none.
//
// build runs in another goroutine, at most once at a time for a key in all processes with
// the same folder. Its context is done when no caller waits any more. An error of build
// is returned to all waiting callers and is not cached.
//
// If ctx is done, Get returns an error that wraps its error and its cause.
func (c *Cache) Get(ctx context.Context, key Key, build func(context.Context) (string, error)) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, gone(ctx)
	}
	if c == nil {
		data, err := build(ctx)
		return Result{Data: data, Origin: Built}, err
	}
	c.mu.Lock()
	if data, ok := c.memory.get(key); ok {
		c.mu.Unlock()
		c.counters.memoryHits.Add(1)
		return Result{Data: data, Origin: Memory}, nil
	}
	f, joined := c.flights[key]
	if !joined {
		f = &flight{done: make(chan struct{})}
		var flying context.Context
		flying, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		c.flights[key] = f
		go c.fly(flying, f, key, build)
	}
	f.waiting++
	c.mu.Unlock()

	select {
	case <-f.done:
		r := f.result
		if joined && f.err == nil {
			c.counters.memoryHits.Add(1)
			r.Origin = Memory
		}
		return r, f.err
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.waiting--; f.waiting == 0 {
			f.cancel()
			if c.flights[key] == f {
				delete(c.flights, key) // who comes next must not join what was stopped
			}
		}
		return Result{}, gone(ctx)
	}
}

func gone(ctx context.Context) error {
	return fmt.Errorf("waiting for a build: %w", ended.Cause(ctx))
}

func (c *Cache) fly(ctx context.Context, f *flight, key Key, build func(context.Context) (string, error)) {
	defer f.cancel()
	f.result, f.err = c.fill(ctx, key, build)
	c.mu.Lock()
	if f.err == nil {
		c.memory.put(key, f.result.Data)
	}
	if c.flights[key] == f {
		delete(c.flights, key)
	}
	c.mu.Unlock()
	close(f.done)
}

// fill reads the build of key from the folder, or makes it and writes it there.
func (c *Cache) fill(ctx context.Context, key Key, build func(context.Context) (string, error)) (Result, error) {
	var problem error
	if c.disk != nil {
		problem = makeFolder(c.disk.dir)
	}
	if c.disk == nil || problem != nil {
		c.counters.misses.Add(1)
		data, err := c.build(ctx, build)
		return Result{Data: data, Origin: Built, Problem: problem}, err
	}
	data, found, problem := c.disk.load(key)
	if found {
		c.counters.diskHits.Add(1)
		return Result{Data: data, Origin: Disk}, nil
	}
	c.counters.misses.Add(1)
	unlock, err := c.disk.lock(ctx, key)
	if ctx.Err() != nil {
		return Result{}, gone(ctx)
	}
	problem = also(problem, err)
	if err == nil {
		defer unlock()
		// Another process may have built it while this one waited.
		if data, found, _ := c.disk.load(key); found {
			return Result{Data: data, Origin: Disk, Problem: problem}, nil
		}
	}
	data, err = c.build(ctx, build)
	if err != nil {
		return Result{}, err
	}
	return Result{Data: data, Origin: Built, Problem: also(problem, c.disk.store(key, data))}, nil
}

// also joins two errors. A folder that cannot be used is found out more than once, and
// reported once.
func also(problem, err error) error {
	if problem != nil && err != nil && problem.Error() == err.Error() {
		return problem
	}
	return errors.Join(problem, err)
}

func (c *Cache) build(ctx context.Context, build func(context.Context) (string, error)) (string, error) {
	c.counters.builds.Add(1)
	return build(ctx)
}

// Stats are counts since a Cache was made.
type Stats struct {
	MemoryHits int64 // builds found in memory, or shared with a goroutine that was building
	DiskHits   int64 // builds read from the folder
	Misses     int64 // builds found neither in memory nor in the folder when they were asked for
	Builds     int64 // those of them that were made here, also where that failed; others made the rest meanwhile
	Evictions  int64 // entries removed from the folder or from memory to make room
	Damaged    int64 // entries of the folder that were not used: damaged, or not this user's
}

// Stats returns the counts so far.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &c.counters
	return Stats{n.memoryHits.Load(), n.diskHits.Load(), n.misses.Load(), n.builds.Load(), n.evictions.Load() + c.memory.evictions, n.damaged.Load()}
}

type counters struct {
	memoryHits, diskHits, misses, builds, evictions, damaged atomic.Int64
}
