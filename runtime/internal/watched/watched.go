// Package watched lets runtime/simtest open simulated devices that say what is left open on
// them. Package cuda registers how, because a public function for it would be of use to tests
// alone.
package watched

import (
	"io"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// A Device is a simulated device that is watched.
type Device struct {
	Device any          // a *cuda.Device
	Leaks  *leak.Scope  // what is open on it
	Fault  func() error // what made it unusable, or nil

	Reports func() (found []error, more int) // *cuda.Faults that checks have found without making it unusable, and at how many places more

	SetStale  func(func(error))   // what is called with the error of generated code that is stale
	SetOutput func(io.Writer)     // where the output of kernels' printf goes
	SetChecks func(driver.Checks) // what kernels are checked for, and how they run
	Heap      func() []HeapUse    // what kernels took with malloc and did not free
	Coverage  func() []driver.CoveredLine
	Stop      func() // ends what runs
}

var (
	open  func(ordinal int) (Device, error)
	stale func(report func(error))
)

// Register is called by package cuda when it is initialized.
func Register(opener func(ordinal int) (Device, error), onStale func(report func(error))) {
	open, stale = opener, onStale
}

// OnStale has report called with the error of generated code that is stale, when any device loads it.
func OnStale(report func(error)) { stale(report) }

// Open opens a simulated device of its own.
func Open(ordinal int) (Device, error) { return open(ordinal) }

// Capabilities are the compute capabilities that a Device may have.
func Capabilities() []int { return driver.SimulatedCapabilities[:] }

// What the functions of a Device take and return.
type (
	Checks        = driver.Checks
	CoveredLine   = driver.CoveredLine
	HeapUse       = driver.HeapUse
	CoveredBranch = driver.CoveredBranch
)
