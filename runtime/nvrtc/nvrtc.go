// Package nvrtc compiles CUDA C++ at run time with NVIDIA's NVRTC, and caches the
// results.
//
//	arch, err := nvrtc.ArchFor(dev)
//	code, err := nvrtc.Compile(ctx, source, nvrtc.Options{Arch: arch, Kernels: []string{"scale<float>"}})
//	lib, err := dev.LoadLibrary(code.Image)
//	k, err := cuda.Bind[ScaleArgs](lib, code.Symbols["scale<float>"])
//	err = k.LaunchArgsWith(s, cfg, &ScaleArgs{X: x.All(), A: 2, N: 3})
//
// cuda.Bind describes ScaleArgs, a struct with a field for each parameter.
//
// A source is compiled once: later calls in the process get the result from memory, and
// other processes from the user's cache folder (docs/cache.md). The package finds NVRTC
// in the places where cudagen finds compilers, and opens it when it first compiles.
//
// NVRTC (Runtime Compilation) User Guide.
package nvrtc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/nvrtclib"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Options configure a compilation.
type Options struct {
	// Arch is the target: compute_75 makes PTX for the simulated device and GPUs of
	// compute capability 7.5 and newer; sm_90 makes a cubin for GPUs of 9.0. See ArchFor.
	Arch string

	// Name is the source's name in messages and __FILE__; empty means kernels.cu.
	// #include "…" is searched in its folder, relative to the working folder.
	Name string

	Headers     map[string]string // contents of headers by the name in #include, found before files
	IncludeDirs []string          // folders with headers, searched before those of the CUDA toolkit
	Defines     []string          // macros: NAME or NAME=VALUE
	Std         string            // c++11, c++14, c++17 or c++20; empty means NVRTC's own choice
	LineInfo    bool              // relate instructions to source lines

	// Flags are passed to NVRTC unchanged, one argument each. A build with a flag that
	// may depend on other files is not cached.
	Flags []string

	// Kernels are C++ expressions for kernels: "app::scale<float, 4>". Templates are
	// instantiated. Compiled.Symbols has their names in the image. Kernels that are
	// extern "C" need not be listed. Addresses of __device__ and __constant__ variables
	// are allowed, too: "&app::taps".
	Kernels []string
}

// A Compiled is the result of a compilation. Do not modify it: calls share its map.
type Compiled struct {
	Image    cuda.Image
	Symbols  map[string]string // the symbol in Image of each of Options.Kernels
	Warnings string            // NVRTC's warnings, or ""

	Origin Origin // where the image came from

	// Uncached is the reason why this build did not use the cache, or "".
	Uncached string

	// CacheProblem is a problem of the cache's folder: a damaged entry, which was built
	// again, a full disk, another owner. The image is valid nevertheless.
	CacheProblem error
}

// An Origin is the source of an image: Built, Memory or Disk.
type Origin = buildcache.Origin

// Values of Origin.
const (
	Built  = buildcache.Built
	Memory = buildcache.Memory // or made at that moment for another goroutine
	Disk   = buildcache.Disk
)

// A CompileError reports errors in the source. Its Errors have positions; its Log is
// NVRTC's complete output.
type CompileError = nvrtclib.CompileError

// A NotFoundError reports that NVRTC was not found, the places that were searched, and
// how to install it.
type NotFoundError = nvrtclib.NotFoundError

// A Config configures the NVRTC library and the cache of a Compiler.
type Config struct {
	Library     string        // NVRTC's path; empty looks for it
	Off         bool          // keep nothing, neither in memory nor on disk
	Dir         string        // the cache's folder, absolute; empty means the one in the user's cache, or $CUDAGEN_CACHE
	DiskBytes   int64         // the size above which the least recently used entries are removed; 0 means 256 MiB
	MemoryBytes int64         // the same for memory; 0 means 64 MiB
	Wait        time.Duration // how long to wait for another process that compiles the same source; 0 means a minute
}

// A Compiler has one NVRTC library and one cache. Any goroutine may call its methods.
type Compiler struct {
	location nvrtclib.Location
	identity string // of the library; see nvrtclib.Location.Identity
	toolkit  []string
	cache    *buildcache.Cache // nil when off
	problem  error             // why there is no folder
	files    files
	uncached atomic.Int64
}

// New returns a compiler. It finds NVRTC but does not open it. The error is a
// *NotFoundError if NVRTC is not found.
func New(c Config) (*Compiler, error) {
	env := os.Getenv
	if c.Library != "" {
		env = func(string) string { return c.Library } // of which Find asks for NVRTC_LIB alone
	}
	location, err := nvrtclib.Find(env)
	if err != nil {
		return nil, err
	}
	identity, err := location.Identity()
	if err != nil {
		return nil, err
	}
	compiler := &Compiler{location: location, identity: identity, toolkit: location.IncludeDirs()}
	compiler.files.fixed = compiler.toolkit
	dir, off := c.Dir, c.Off
	if dir == "" && !off {
		dir, off, compiler.problem = buildcache.DefaultDir(os.Getenv)
	}
	if !off {
		compiler.cache = buildcache.New(buildcache.Options{Dir: dir, DiskBytes: c.DiskBytes, MemoryBytes: c.MemoryBytes, Wait: c.Wait})
	}
	return compiler, nil
}

// Default returns the compiler that Compile uses, which is New(Config{}). The first call
// makes it for the whole process.
func Default() (*Compiler, error) { return defaultCompiler() }

var defaultCompiler = sync.OnceValues(func() (*Compiler, error) { return New(Config{}) })

// Compile compiles source with the default Compiler.
func Compile(ctx context.Context, source string, o Options) (*Compiled, error) {
	c, err := Default()
	if err != nil {
		return nil, err
	}
	return c.Compile(ctx, source, o)
}

// ArchFor returns the best Options.Arch for a device: machine code for a GPU, PTX for the
// simulated device.
func ArchFor(dev *cuda.Device) (string, error) {
	major, minor, err := dev.ComputeCapability()
	if err != nil {
		return "", err
	}
	kind := "sm"
	if dev.IsSimulated() {
		kind = "compute"
	}
	return fmt.Sprintf("%s_%d%d", kind, major, minor), nil
}

// String returns the library's path and how it was found.
func (c *Compiler) String() string {
	if c.isUnmade() {
		return "no compiler"
	}
	return c.location.String()
}

// isUnmade reports whether c is nil or a zero value: New and Default make others.
func (c *Compiler) isUnmade() bool { return c == nil || c.identity == "" }

func errUnmade() error {
	return &cuda.Error{Op: "compile", Detail: "the compiler is nil or a zero value: make one with New, or use Default", Err: cuda.ErrInvalidValue}
}

// attempts is how often a source is compiled whose headers change meanwhile.
const attempts = 3

// Compile compiles source, or returns the cached result for the same source, headers,
// options and NVRTC.
//
// If ctx is done, Compile returns an error that wraps its error and its cause. NVRTC 13.0 cancels a running
// compilation between the steps of its back end, which other calls do not wait for. A front end
// runs to its end, and the front ends of other calls wait for it.
// Errors in the source are a *CompileError.
func (c *Compiler) Compile(ctx context.Context, source string, o Options) (*Compiled, error) {
	if o.Name == "" {
		o.Name = "kernels.cu"
	}
	if c.isUnmade() {
		return nil, fmt.Errorf("compiling %s with NVRTC: %w", o.Name, errUnmade())
	}
	p, err := c.program(source, o)
	if err != nil {
		return nil, fmt.Errorf("compiling %s with NVRTC: %w", o.Name, err)
	}
	for range attempts {
		key, uncached, err := c.key(p, o)
		switch {
		case err != nil:
			return nil, fmt.Errorf("compiling %s with NVRTC: %w", o.Name, err)
		case uncached != "":
			c.uncached.Add(1)
			data, err := c.build(ctx, p)
			return c.compiled(p, buildcache.Result{Data: data, Origin: Built}, uncached, err)
		}
		r, err := c.cache.Get(ctx, key, func(ctx context.Context) (string, error) {
			data, err := c.build(ctx, p)
			if err != nil {
				return "", err
			}
			if after, _, err := c.key(p, o); err != nil || after != key {
				return "", errors.Join(errChanged, err)
			}
			return data, nil
		})
		if !errors.Is(err, errChanged) {
			return c.compiled(p, r, "", err)
		}
	}
	return nil, fmt.Errorf("compiling %s with NVRTC: %w", o.Name, errChanged)
}

var errChanged = errors.New("a header changed while it was compiled: compile again")

// architecture matches Options.Arch.
//
// NVRTC User Guide, Supported Compile Options: --gpu-architecture.
var architecture = regexp.MustCompile(`^(compute|sm)_[1-9][0-9]{1,2}[af]?$`)

// macro matches Options.Defines. NVRTC would take the next option for the value of an empty one.
var macro = regexp.MustCompile(`^[A-Za-z_$\x80-\x{10FFFF}][\w$\x80-\x{10FFFF}]*(\([^)]*\))?($|=)`)

// program returns what NVRTC is asked to compile.
func (c *Compiler) program(source string, o Options) (nvrtclib.Program, error) {
	if !architecture.MatchString(o.Arch) {
		return nvrtclib.Program{}, fmt.Errorf("architecture %q: write compute_XX for PTX or sm_XX for machine code", o.Arch)
	}
	p := nvrtclib.Program{Source: source, Name: o.Name, Headers: o.Headers, Names: o.Kernels, Cubin: strings.HasPrefix(o.Arch, "sm_")}
	p.Options = append(p.Options, "--gpu-architecture="+o.Arch)
	if o.Std != "" {
		p.Options = append(p.Options, "--std="+o.Std)
	}
	if o.LineInfo {
		p.Options = append(p.Options, "-lineinfo")
	}
	for _, define := range o.Defines {
		if !macro.MatchString(define) {
			return nvrtclib.Program{}, fmt.Errorf("define %q does not begin with the name of a macro: write NAME or NAME=VALUE", define)
		}
		p.Options = append(p.Options, "-D"+define)
	}
	p.Options = append(p.Options, o.Flags...)
	for _, dir := range slices.Concat(o.IncludeDirs, c.toolkit) {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return nvrtclib.Program{}, err
		}
		p.Options = append(p.Options, "-I"+absolute)
	}
	return p, nil
}

// build compiles p, whatever the cache has.
func (c *Compiler) build(ctx context.Context, p nvrtclib.Program) (string, error) {
	library, err := nvrtclib.Open(c.location)
	if err != nil {
		return "", err
	}
	r, err := library.Compile(ctx, p)
	if err != nil {
		return "", err
	}
	return encode(r), nil
}

// compiled makes the answer to a call.
func (c *Compiler) compiled(p nvrtclib.Program, r buildcache.Result, uncached string, err error) (*Compiled, error) {
	if err != nil {
		return nil, err
	}
	entry, err := decode(r.Data)
	if err != nil {
		return nil, fmt.Errorf("compiling %s with NVRTC: %w", p.Name, err)
	}
	extension := ".ptx"
	if p.Cubin {
		extension = ".cubin"
	}
	name := strings.TrimSuffix(p.Name, filepath.Ext(p.Name)) + extension
	return &Compiled{
		Image:        cuda.Image{Name: name, Data: entry.code, SHA256: entry.sha256},
		Symbols:      entry.symbols,
		Warnings:     entry.log,
		Origin:       r.Origin,
		Uncached:     uncached,
		CacheProblem: errors.Join(c.problem, r.Problem),
	}, nil
}

// Stats are counts since a Compiler was made.
type Stats struct {
	MemoryHits int64 // images found in memory, or shared with a goroutine that was building
	DiskHits   int64 // images read from the folder
	Misses     int64 // images found in neither
	Builds     int64 // compilations after misses; other processes built the rest meanwhile
	Uncached   int64 // compilations of what cannot be cached
	Evictions  int64 // images removed from folder or memory to make room
	Damaged    int64 // entries of the folder that were damaged or not this user's, and were not used
}

// Stats returns the counts so far. A Compiler without a cache counts only Uncached.
func (c *Compiler) Stats() Stats {
	if c.isUnmade() {
		return Stats{}
	}
	s := c.cache.Stats()
	return Stats{s.MemoryHits, s.DiskHits, s.Misses, s.Builds, c.uncached.Load(), s.Evictions, s.Damaged}
}

// Metrics lists s as metrics libraries take it, in a fixed order.
func (s Stats) Metrics() []cuda.Metric {
	return []cuda.Metric{
		{Name: "compile_memory_hits", Help: "Images found in memory.", Counter: true, Value: uint64(s.MemoryHits)},
		{Name: "compile_disk_hits", Help: "Images read from the cache's folder.", Counter: true, Value: uint64(s.DiskHits)},
		{Name: "compile_misses", Help: "Images found in neither.", Counter: true, Value: uint64(s.Misses)},
		{Name: "compile_builds", Help: "Compilations after misses.", Counter: true, Value: uint64(s.Builds)},
		{Name: "compile_uncached", Help: "Compilations of what cannot be cached.", Counter: true, Value: uint64(s.Uncached)},
		{Name: "compile_evictions", Help: "Images removed to make room.", Counter: true, Value: uint64(s.Evictions)},
		{Name: "compile_damaged", Help: "Damaged entries of the cache's folder.", Counter: true, Value: uint64(s.Damaged)},
	}
}
