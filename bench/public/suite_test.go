// Package public_test runs kernels of public repositories on the simulated device, with all of
// simtest's checks, and on the GPU where there is one. Each result is compared with a reference
// written in Go, and the GPU's with the simulated device's, bit for bit.
//
// The kernels' sources and what compilers make of them are not part of this repository:
// sources.json says which files they are. The flag -public.dir names a folder with the PTX.
package public_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
	"github.com/ianlancetaylor/demangle"
)

var (
	folder = flag.String("public.dir", "", "folder with the PTX of sources.json's files: UNIT.ptx, with the unit's slashes")
	seed   = flag.Uint64("public.seed", 0, "order of warps and blocks on the simulated device: 0 for the lowest first")
)

// A kernel of a unit, and what runs it.
type kernel struct {
	unit  string // of sources.json
	name  string // demangled, with template arguments, without parameters
	races races  // that it has: not looked for
	run   func(r *run)
}

// races are kinds of races.
type races int

const (
	sharedRaces races = 1 << iota
	globalRaces
)

// options are the checks of the simulated device: all of them, but for the kernel's own races.
func (k kernel) options() []simtest.Option {
	options := []simtest.Option{simtest.Seed(*seed)}
	if k.races&sharedRaces != 0 {
		options = append(options, simtest.AllowRaces())
	}
	if k.races&globalRaces == 0 {
		options = append(options, simtest.GlobalRaces())
	}
	return options
}

// kernels are all kernels of the suite. Each file of tests adds its own.
var kernels []kernel

func add(unit, name string, run func(r *run)) { kernels = append(kernels, kernel{unit, name, 0, run}) }

// addWith is add for a kernel that has races.
func addWith(r races, unit, name string, run func(r *run)) {
	kernels = append(kernels, kernel{unit, name, r, run})
}

func TestKernels(t *testing.T) {
	if *folder == "" {
		t.Skip("no PTX of public kernels: -public.dir names a folder that has it, as sources.json says")
	}
	var gpu machine
	defer gpu.close()
	for _, k := range kernels {
		t.Run(k.unit+"/"+k.name, func(t *testing.T) {
			var simulated [][]byte
			t.Run("simulator", func(t *testing.T) {
				dev := simtest.New(t, k.options()...)
				lib := k.load(t, dev)
				defer lib.Close()
				simulated = k.on(t, dev, lib)
			})
			t.Run("GPU", func(t *testing.T) {
				testenv.Need(t, testenv.GPU)
				defer func() {
					if t.Failed() {
						gpu.close() // the next kernel has a new context
					}
				}()
				dev, lib := gpu.open(t, k)
				k.compare(t, k.on(t, dev, lib), simulated)
			})
		})
	}
}

// text returns the PTX of the kernel's unit.
func (k kernel) text(t testing.TB) []byte {
	text, err := os.ReadFile(filepath.Join(*folder, filepath.FromSlash(k.unit)+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// load loads the kernel's unit.
func (k kernel) load(t testing.TB, dev *cuda.Device) *cuda.Library {
	text := k.text(t)
	image := cuda.Image{Name: k.unit + ".ptx", Data: string(text), SHA256: fmt.Sprintf("%x", sha256.Sum256(text))}
	lib, err := dev.LoadLibrary(image)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// A machine is the GPU, with the unit that was loaded last: the driver compiles some for seconds.
type machine struct {
	dev  *cuda.Device
	lib  *cuda.Library
	unit string
}

// open returns the GPU and the kernel's unit.
func (m *machine) open(t *testing.T, k kernel) (*cuda.Device, *cuda.Library) {
	if m.dev == nil {
		dev, err := cuda.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		m.dev = dev
	}
	if m.unit != k.unit {
		m.lib.Close()
		m.unit, m.lib = "", nil
		m.lib = k.load(t, m.dev)
		m.unit = k.unit
	}
	return m.dev, m.lib
}

func (m *machine) close() {
	m.lib.Close()
	if m.dev != nil {
		m.dev.Close()
	}
	*m = machine{}
}

// on runs k on dev and returns all that the kernel computed.
func (k kernel) on(t testing.TB, dev *cuda.Device, lib *cuda.Library) [][]byte {
	text := k.text(t)
	symbol, err := symbolOf(text, k.name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	hash := fnv.New64a()
	hash.Write([]byte(k.unit + "/" + k.name))
	r := &run{t: t, s: s, lib: lib, text: text, symbol: symbol, rand: rand.New(rand.NewPCG(hash.Sum64(), 15))}
	defer r.close()
	k.run(r)
	if len(r.results) == 0 {
		t.Error("the kernel was not checked")
	}
	return r.results
}

// compare compares the GPU's results with the simulated device's, bit for bit. They may differ
// only where PTX leaves results open.
func (k kernel) compare(t testing.TB, gpu, simulated [][]byte) {
	if len(gpu) != len(simulated) {
		t.Fatalf("%d results on the GPU, %d on the simulated device", len(gpu), len(simulated))
	}
	differ, total := 0, 0
	for i := range gpu {
		total += len(gpu[i])
		for j := range gpu[i] {
			if gpu[i][j] != simulated[i][j] {
				differ++
			}
		}
	}
	open := k.open(t)
	switch {
	case differ == 0:
		t.Logf("equal: %d bytes", total)
	case open != "":
		t.Logf("open: %d of %d bytes differ: %s", differ, total, open)
	default:
		t.Errorf("%d of %d bytes differ, and the kernel has no instruction whose result is open", differ, total)
	}
}

// open returns what leaves the kernel's results open, or "": approximate instructions, and
// multiplications and additions without a rounding, which may become one fma (PTX ISA, Floating
// Point Instructions: mul, add). Functions of the module count as the kernel's.
func (k kernel) open(t testing.TB) string {
	text := k.text(t)
	symbol, err := symbolOf(text, k.name)
	if err != nil {
		t.Fatal(err)
	}
	return openOf(text, symbol)
}

var (
	approximate = regexp.MustCompile(`[a-z0-9]+\.approx[.a-z0-9]*`)
	product     = regexp.MustCompile(`\bmul(\.ftz)?\.(b?f16(x2)?|f32|f64)\b`)
	sum         = regexp.MustCompile(`\b(add|sub)(\.ftz)?\.(b?f16(x2)?|f32|f64)\b`)
)

func openOf(text []byte, symbol string) string {
	own := without(text, symbol)
	if found := approximate.Find(own); found != nil {
		return string(found)
	}
	if p, s := product.Find(own), sum.Find(own); p != nil && s != nil {
		return string(p) + " and " + string(s)
	}
	return ""
}

// without returns PTX without the bodies of all kernels but one.
func without(text []byte, symbol string) (rest []byte) {
	for {
		at := entry.FindSubmatchIndex(text)
		if at == nil {
			return append(rest, text...)
		}
		end, depth := at[1], 0
		for end < len(text) {
			c := text[end]
			end++
			if c == '{' {
				depth++
			} else if c == '}' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if string(text[at[2]:at[3]]) == symbol {
			rest = append(rest, text[:end]...)
		} else {
			rest = append(rest, text[:at[0]]...)
		}
		text = text[end:]
	}
}

var entry = regexp.MustCompile(`\.entry\s+([\w$]+)`)

// symbolOf returns the symbol in the PTX of the kernel with the demangled name.
func symbolOf(text []byte, name string) (string, error) {
	var names []string
	for _, match := range entry.FindAllSubmatch(text, -1) {
		symbol := string(match[1])
		is := demangled(symbol)
		if is == name {
			return symbol, nil
		}
		names = append(names, is)
	}
	slices.Sort(names)
	return "", fmt.Errorf("no kernel %s, but %s", name, strings.Join(names, ", "))
}

// demangled returns the name of a kernel without its parameters and its result.
func demangled(symbol string) string {
	return strings.TrimPrefix(demangle.Filter(symbol, demangle.NoParams), "void ")
}

// A run is one run of a kernel's test on one device. Its random numbers are the same on each.
type run struct {
	t       testing.TB
	s       *cuda.Stream
	lib     *cuda.Library
	text    []byte // the unit's PTX
	symbol  string
	rand    *rand.Rand
	results [][]byte
	buffers []interface{ Close() error }
}

func (r *run) close() {
	check(r.t, r.s.Synchronize())
	for _, b := range r.buffers {
		check(r.t, b.Close())
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// on copies data to the device.
func on[T any](r *run, data []T) cuda.Slice[T] {
	r.t.Helper()
	b, err := cuda.Upload(r.s, data)
	check(r.t, err)
	r.buffers = append(r.buffers, b)
	return b.All()
}

// fresh allocates n elements, which are undefined.
func fresh[T any](r *run, n int) cuda.Slice[T] {
	r.t.Helper()
	b, err := cuda.Alloc[T](r.s, n)
	check(r.t, err)
	r.buffers = append(r.buffers, b)
	return b.All()
}

// zeros allocates n elements, all 0.
func zeros[T any](r *run, n int) cuda.Slice[T] { r.t.Helper(); return on(r, make([]T, n)) }

// from copies what a kernel computed from the device.
func from[T any](r *run, src cuda.Slice[T]) []T {
	r.t.Helper()
	data, err := src.Download(r.s)
	check(r.t, err)
	if len(data) > 0 {
		size := len(data) * int(unsafe.Sizeof(data[0]))
		r.results = append(r.results, bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), size)))
	}
	return data
}

// launch runs the kernel with an Args that has a field for each parameter.
func launch[Args any](r *run, grid, block cuda.Dim3, sharedBytes int, args Args) {
	r.t.Helper()
	k, err := cuda.Bind[Args](r.lib, r.symbol)
	check(r.t, err)
	cfg := cuda.LaunchConfig{Grid: grid, Block: block, SharedBytes: uint32(sharedBytes)}
	check(r.t, k.LaunchArgsWith(r.s, cfg, &args))
}

var variable = regexp.MustCompile(`(?m)^(?:\.visible |\.weak |\.extern )?\.(?:const|global)[^;={]*\s([\w$]+)(?:\[\d+\])*\s*[;={]`)

// symbol returns a variable of the unit, which has its C++ name.
func symbol[T any](r *run, name string) cuda.Symbol[T] {
	r.t.Helper()
	for _, match := range variable.FindAllSubmatch(r.text, -1) {
		if symbol := string(match[1]); demangled(symbol) == name {
			v, err := cuda.LoadSymbol[T](r.lib, name, symbol)
			check(r.t, err)
			return v
		}
	}
	r.t.Fatalf("no variable %s", name)
	panic("not reached")
}

// set sets a variable of the unit.
func set[T any](r *run, name string, value T) {
	r.t.Helper()
	check(r.t, symbol[T](r, name).Set(r.s, value))
}

// get returns a variable of the unit, for a result.
func get[T any](r *run, name string) T {
	r.t.Helper()
	value, err := symbol[T](r, name).Get(r.s)
	check(r.t, err)
	r.results = append(r.results, fmt.Append(nil, value))
	return value
}

// dim returns a grid or a block.
func dim(x int, yz ...int) cuda.Dim3 {
	d, err := cuda.DimOf(x, yz...)
	if err != nil {
		panic(err)
	}
	return d
}

// over returns the number of blocks of size threads for n threads.
func over(n, size int) int { return (n + size - 1) / size }

// cooperative is launch for a kernel that waits for all blocks of its grid.
func cooperative[Args any](r *run, grid, block cuda.Dim3, sharedBytes int, args Args) {
	r.t.Helper()
	k, err := cuda.Bind[Args](r.lib, r.symbol)
	check(r.t, err)
	cfg := cuda.LaunchConfig{Grid: grid, Block: block, SharedBytes: uint32(sharedBytes), Attributes: &cuda.LaunchAttributes{Cooperative: true}}
	check(r.t, k.LaunchArgsWith(r.s, cfg, &args))
}

// unordered is from for a result whose order is open: it is not compared between devices.
func unordered[T any](r *run, src cuda.Slice[T]) []T {
	r.t.Helper()
	data, err := src.Download(r.s)
	check(r.t, err)
	return data
}

// keep compares data between devices.
func (r *run) keep(data []int32) {
	for _, x := range data {
		r.results = append(r.results, []byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)})
	}
}
