package cuda

import (
	"errors"
	"fmt"
)

// ErrUnsupported is wrapped when the driver is too old for an operation. The text names the
// driver's version of CUDA and the one that is needed.
var ErrUnsupported = errors.New("the driver does not support it")

// A feature came after the oldest driver that cudagen works with. docs/drivers.md lists all.
type feature struct {
	what  string // it is or they are …
	since int    // the version of CUDA that brought it: 1000*major + 10*minor
}

var (
	conditionalNodes  = feature{"conditional nodes", 12030}
	programmaticEdges = feature{"programmatic launches in a graph", 12030}
	elseAndSwitch     = feature{"an else and a switch", 12080}
	machineCode       = feature{"kernels that are neither generated nor PTX, whose parameters the driver must tell,", 12040}
)

// needs returns an error if d's driver is older than f.
func (d *Device) needs(op string, f feature) error {
	if d.version >= f.since {
		return nil
	}
	return &Error{
		Op: op, Device: d.String(), Driver: d.version,
		Detail: fmt.Sprintf("this driver is for CUDA %s: %s need CUDA %s", cudaVersion(d.version), f.what, cudaVersion(f.since)),
		Hint:   "update NVIDIA's driver",
		Err:    ErrUnsupported,
	}
}

// cudaVersion writes 12040 as 12.4.
func cudaVersion(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
