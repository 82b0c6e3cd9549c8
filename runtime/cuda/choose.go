package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
