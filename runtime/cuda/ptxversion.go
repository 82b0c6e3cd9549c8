package cuda

import (
	"fmt"
	"regexp"
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
		version := "a newer version"
		if m := ptxVersionLine.FindStringSubmatch(image.Data); m != nil {
			version = "PTX " + m[1]
		}
		e.Detail = fmt.Sprintf("%s is %s, newer than this driver (CUDA %d.%d) takes: update the driver, or compile with the nvcc of CUDA %d.%d or older", image.Name, version, major, minor, major, minor)
	case driver.ErrorNotFound:
		e.Detail = image.Name + " has no such kernel: run go generate again"
	case driver.ErrorNoBinaryForGPU:
		e.Detail = image.Name + " holds no code for this device: add its architecture to -arch"
	}
	if log = strings.TrimSpace(log); log != "" {
		if e.Detail != "" {
			e.Detail += "; "
		}
		e.Detail += "the driver's compiler says: " + log
	}
	return d.failed(e, r)
}
