// Package images keeps what PTX is decoded to, for devices that load the same: text comes in, and libraries go out. It knows neither
// instructions nor what executes them.
package images

import (
	"crypto/sha256"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// Load loads an image that messages call name.
func Load(name string, image []byte, mem *memory.Memory, capability int) (*bytecode.Library, *bytecode.Refusal) {
	img, refused := decoded.image(name, image, capability)
	if refused != nil {
		return nil, refused
	}
	return img.Load(mem, capability)
}

// LoadNamed is Load for a debugger: kernels have their Names, and are shared with nobody.
func LoadNamed(name string, image []byte, mem *memory.Memory, capability int) (*bytecode.Library, *bytecode.Refusal) {
	img, refused := bytecode.Decode(name, image, capability, interp.Assemblers(), true)
	if refused != nil {
		return nil, refused
	}
	return img.Load(mem, capability)
}

// decoded is the images that the process has decoded: those that are loaded somewhere, and those that were last. Most of
// what a test does on a device of its own is to load what another test has loaded.
var decoded = images{known: make(map[imageKey]*decodedImage)}

type images struct {
	mu     sync.Mutex
	known  map[imageKey]*decodedImage
	recent []*bytecode.Image // the last one used at the end
}

// An imageKey is what a decoded image depends on.
type imageKey struct {
	name       string
	capability int
	sum        [sha256.Size]byte
}

// A decodedImage is an image that is being decoded, while mu is held, or was.
type decodedImage struct {
	mu    sync.Mutex
	image weak.Pointer[bytecode.Image]
}

// mostRecent is how much text of images is kept that are loaded nowhere, in bytes. Decoded, it takes about ten times as much.
const mostRecent = 4 << 20

// image returns what text is decoded to. Several callers wait for the first.
func (d *images) image(name string, text []byte, capability int) (*bytecode.Image, *bytecode.Refusal) {
	key := imageKey{name, capability, sha256.Sum256(text)}
	d.mu.Lock()
	entry := d.known[key]
	if entry == nil {
		entry = new(decodedImage)
		d.known[key] = entry
	}
	d.mu.Unlock()
	entry.mu.Lock()
	defer entry.mu.Unlock()
	img := entry.image.Value()
	if img == nil {
		var refused *bytecode.Refusal
		if img, refused = bytecode.Decode(name, text, capability, interp.Assemblers(), false); refused != nil {
			d.forget(key)
			return nil, refused
		}
		entry.image = weak.Make(img)
		runtime.AddCleanup(img, d.forget, key)
	}
	d.use(img)
	return img, nil
}

// use makes img the most recent image.
func (d *images) use(img *bytecode.Image) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recent = append(slices.DeleteFunc(d.recent, func(other *bytecode.Image) bool { return other == img }), img)
	total := 0
	for n, other := range slices.Backward(d.recent) {
		if total += other.Bytes; total > mostRecent {
			d.recent = slices.Clone(d.recent[n+1:])
			return
		}
	}
}

// forget drops an image that nobody uses. One that is decoded again meanwhile is decoded once more later.
func (d *images) forget(key imageKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.known, key)
}
