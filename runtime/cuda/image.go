package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/fresh"
	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
	"github.com/cudagen/cudagen/runtime/cuda/internal/stale"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Image is code for GPUs: PTX text, a cubin or a fatbin. Generated code and nvrtc's Compiled have
// theirs; NewImage makes one of other data.
type Image struct {
	Name   string // for errors: kernels.ptx
	Data   string
	SHA256 string // hash of Data when Go was generated or the image compiled, in hexadecimal

	// Targets are the architectures of machine code: sm_80 runs on compute capability 8.0
	// and later 8.x, sm_90a only on 9.0. It is nil for PTX, which runs on GPUs of its
	// target and later.
	Targets []string

	generated bool // the Go code that loads it was generated
}

// NewImage returns the Image of data that no generated code embeds: PTX, a cubin or a fatbin of a file
// or of another compiler. name is for errors.
//
//	//go:embed saxpy.ptx
//	var ptx string
//
//	library, err := dev.LoadLibrary(cuda.NewImage("saxpy.ptx", ptx))
//	saxpy, err := cuda.Bind[SaxpyArgs](library, "saxpy")
func NewImage(name, data string) Image {
	return Image{Name: name, Data: data, SHA256: hashOf(data)}
}

// remedy says what to do if i differs from the Go code, which byHand says if that was not
// generated.
func (i Image) remedy(byHand string) string {
	if i.generated {
		return "run go generate again"
	}
	return byHand
}

// verified returns i if its data has the hash that it names. A checkout may have given the PTX of
// generated code the line ends of Windows (git's core.autocrlf): then it returns i with the data that
// was generated.
func (i Image) verified() (Image, error) {
	got := hashOf(i.Data)
	if got == i.SHA256 {
		return i, nil
	}
	if i.generated && i.Targets == nil {
		if data := strings.ReplaceAll(i.Data, "\r\n", "\n"); hashOf(data) == i.SHA256 {
			i.Data = data
			return i, nil
		}
	}
	if i.generated {
		return i, &Error{Op: "load " + i.Name, Detail: fmt.Sprintf("its SHA-256 is %.12s…, but the Go code was generated with %.12s…: run go generate again", got, i.SHA256), Err: ErrABI}
	}
	return i, &Error{Op: "load " + i.Name, Detail: fmt.Sprintf("its SHA-256 is %.12s…, the SHA256 of the Image %.12q: make the Image with NewImage, or set that to the hash of Data, in hexadecimal", got, i.SHA256), Err: ErrABI}
}

// hashOf returns the SHA-256 of data, in hexadecimal.
func hashOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// choose returns the image that LoadKernels loads.
func (d *Device) choose(images []Image) (Image, error) {
	portable := slices.IndexFunc(images, func(i Image) bool { return i.Targets == nil })
	if !d.IsSimulated() && slices.ContainsFunc(images, func(i Image) bool { return i.Targets != nil }) {
		major, minor, err := d.ComputeCapability()
		if err != nil {
			return Image{}, err
		}
		for _, i := range images {
			if slices.ContainsFunc(i.Targets, func(target string) bool { return image.RunsOn(target, major, minor) }) {
				return i, nil
			}
		}
	}
	if portable >= 0 {
		return images[portable], nil
	}
	var have []string
	for _, i := range images {
		have = append(have, i.Targets...)
	}
	return Image{}, &Error{
		Op: "load kernels", Device: d.String(), Driver: d.version, Err: ErrNotSupported,
		Detail: fmt.Sprintf("the images have code for %s only and no PTX: add compute_XX to -arch and generate again", strings.Join(have, ", ")),
	}
}

// explainLoad says why an image or a kernel in it could not be loaded: the
// compiler's own words, and for PTX that is too new both versions.
func (d *Device) explainLoad(op, kernel string, i Image, r driver.Result, log string) error {
	e := &Error{Op: op, Kernel: kernel}
	major, minor := d.DriverVersion()
	switch r {
	case driver.ErrorUnsupportedPTXVersion:
		e.Detail = image.TooNew(i.Name, i.Data, i.generated, major, minor)
	case driver.ErrorNotFound:
		e.Detail = i.Name + " does not contain it: " + i.remedy("use a symbol that it has, which for C++ is the mangled name")
	case driver.ErrorNoBinaryForGPU:
		e.Detail = i.Name + " contains no code for this device: " + i.noCode()
	}
	if log = strings.TrimSpace(log); log != "" {
		if e.Detail != "" {
			e.Detail += "; "
		}
		if d.sim != nil {
			e.Detail += "the simulated device says: " + strings.ReplaceAll(log, "image.ptx:", i.Name+":")
		} else {
			e.Detail += "the driver's compiler says: " + log
		}
	}
	return d.failed(e, r)
}

func (i Image) noCode() string {
	if i.generated {
		return "add its architecture to -arch"
	}
	return "compile it for its architecture, or to PTX"
}

// A loadedImage is an image that the driver has loaded on one device, for all the
// libraries of it.
type loadedImage struct {
	sha256 string
	loaded chan struct{}  // closed when handle or err is there
	handle driver.Library // of the driver; written under Device.mu
	err    error
	users  int // libraries; guarded by Device.mu
}

// acquireImage loads image, or counts one more user of it.
func (d *Device) acquireImage(image Image) (*loadedImage, error) {
	d.mu.Lock()
	shared, known := d.images[image.SHA256]
	if !known {
		shared = &loadedImage{sha256: image.SHA256, loaded: make(chan struct{})}
		d.images[image.SHA256] = shared
	}
	shared.users++
	d.mu.Unlock()
	if known {
		d.counts.imageHits.Add(1)
		<-shared.loaded
		return shared, shared.err
	}
	defer close(shared.loaded)
	var handle driver.Library
	try := func() (r driver.Result) {
		handle, r = d.drv.LibraryLoadData([]byte(image.Data))
		return r
	}
	r := d.again(try(), try)
	if r != driver.Success {
		shared.err = d.explainLoad("load "+image.Name, "", image, r, d.drv.LibraryLog(handle))
		d.mu.Lock()
		delete(d.images, shared.sha256)
		d.mu.Unlock()
		return nil, shared.err
	}
	d.mu.Lock()
	shared.handle = handle
	d.mu.Unlock()
	return shared, nil
}

// releaseImage takes one user from an image. When it was the last, the image is
// unloaded as soon as no call and no queue can use it.
func (d *Device) releaseImage(shared *loadedImage) {
	d.mu.Lock()
	shared.users--
	last := shared.users == 0
	if last {
		delete(d.images, shared.sha256) // who comes next loads it again
	}
	d.mu.Unlock()
	if last {
		d.retire(func() {
			d.given(d.inContext(d.drv.CtxSynchronize))
			d.given(d.awaitForeign()) // of other devices
			d.given(d.drv.LibraryUnload(shared.handle))
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.launched, shared)
		})
	}
}

// CheckFresh returns an error if generated code in folder was not made of the sources that lie there:
// if a .cu file or a header was edited, and go generate did not run since, programs run the old
// kernels. It compares the hashes of the sources with those in the records (kernels.cudagen.json),
// and needs no compiler and no device. A folder such as "../..." means those below it, too.
//
//	func TestFresh(t *testing.T) {
//		if err := cuda.CheckFresh("."); err != nil { // go test runs in the folder of the package
//			t.Error(err)
//		}
//	}
//
// Tests on devices of runtime/simtest need no such test: New does the same for the kernels that are
// loaded. Flags of go:generate lines and new headers that hide others are for cudagen -check.
//
// Sources that are not there are no error where they need not be: in a vendored package, in the module
// cache, outside of the module, and outside of any module, where a program was deployed. Inside of a
// module an error says that a source is missing, and also that folder has no record.
func CheckFresh(folder string) error { return stale.Check(folder) }

// staleHook is called with the error of generated code that is loaded on any device, and stale.
var staleHook atomic.Pointer[func(error)]

// onStale calls report with the error of each load of stale generated code, on any device.
func onStale(report func(error)) { staleHook.Store(&report) }

// checkStale tells who wants to know it that the generated code which calls the caller loads images that
// are not those of its source.
func (d *Device) checkStale(images []Image) {
	hook := staleHook.Load()
	if d.stale == nil && hook == nil || len(images) == 0 {
		return
	}
	_, file, _, ok := runtime.Caller(2)
	if !ok {
		return
	}
	list := make([]fresh.Image, len(images))
	for i, image := range images {
		list[i] = fresh.Image{File: image.Name, SHA256: image.SHA256}
	}
	err := stale.Loaded(file, list)
	if err == nil {
		return
	}
	if d.stale != nil {
		d.stale(err)
	}
	if hook != nil {
		(*hook)(err)
	}
}
