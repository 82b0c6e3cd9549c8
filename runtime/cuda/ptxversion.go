package cuda

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

var ptxVersionLine = regexp.MustCompile(`(?m)^[ \t]*\.version[ \t]+([0-9]+\.[0-9]+)`)

// explainLoad says why an image or a kernel in it could not be loaded: the
// compiler's own words, and for PTX that is too new both versions.
func (d *Device) explainLoad(op, kernel string, image Image, r driver.Result, log string) error {
	e := &Error{Op: op, Kernel: kernel}
	major, minor := d.DriverVersion()
	switch r {
	case driver.ErrorUnsupportedPTXVersion:
		e.Detail = tooNew(image, major, minor)
	case driver.ErrorNotFound:
		e.Detail = image.Name + " does not contain it: " + image.remedy("use a symbol that it has, which for C++ is the mangled name")
	case driver.ErrorNoBinaryForGPU:
		e.Detail = image.Name + " contains no code for this device: " + noCode(image)
	}
	if log = strings.TrimSpace(log); log != "" {
		if e.Detail != "" {
			e.Detail += "; "
		}
		if d.sim != nil {
			e.Detail += "the simulated device says: " + strings.ReplaceAll(log, "image.ptx:", image.Name+":")
		} else {
			e.Detail += "the driver's compiler says: " + log
		}
	}
	return d.failed(e, r)
}

func noCode(image Image) string {
	if image.generated {
		return "add its architecture to -arch"
	}
	return "compile it for its architecture, or to PTX"
}

// tooNew says what it takes to load PTX that this driver, of the CUDA version major.minor,
// refuses.
func tooNew(image Image, major, minor int) string {
	ours := fmt.Sprintf("this driver (CUDA %d.%d)", major, minor)
	if most, ok := ptxOfCUDA(major, minor); ok {
		ours += " takes PTX " + most + " at most"
	} else {
		ours += " takes no PTX so new"
	}
	remedy := fmt.Sprintf("compile it with the nvcc of CUDA %d.%d or older", major, minor)
	if image.generated {
		remedy = fmt.Sprintf("generate it again with -ptx-version min, or with the nvcc of CUDA %d.%d or older", major, minor)
	}
	m := ptxVersionLine.FindStringSubmatch(image.Data)
	if m == nil {
		return fmt.Sprintf("%s is too new, and %s: %s", image.Name, ours, remedy)
	}
	if needed, ok := cudaOfPTX(m[1]); ok {
		remedy = "update to a driver of CUDA " + needed + " or newer, or " + remedy
	}
	return fmt.Sprintf("%s is PTX %s, and %s: %s", image.Name, m[1], ours, remedy)
}

// ptx12 are the newest versions of PTX that drivers of CUDA 12.0 to 12.9 take.
//
// PTX ISA, Release Notes: PTX Release History.
var ptx12 = [...]string{"8.0", "8.1", "8.2", "8.3", "8.4", "8.5", "8.5", "8.6", "8.7", "8.8"}

// ptxOfCUDA returns the newest version of PTX that drivers of a CUDA version take. Since
// CUDA 13.0 both count alike.
func ptxOfCUDA(major, minor int) (string, bool) {
	switch {
	case major == 12 && minor < len(ptx12):
		return ptx12[minor], true
	case major == 13:
		return fmt.Sprintf("9.%d", minor), true
	}
	return "", false
}

// cudaOfPTX returns the first CUDA version, from 12.0 on, whose drivers take a version of
// PTX.
func cudaOfPTX(version string) (string, bool) {
	if minor, ok := strings.CutPrefix(version, "9."); ok {
		return "13." + minor, true
	}
	if i := slices.Index(ptx12[:], version); i >= 0 {
		return fmt.Sprintf("12.%d", i), true
	}
	return "", false
}
