package bytecode

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// Accessed holds the addresses that the lanes of a warp access: offsets from a common base.
type Accessed struct {
	Base   unsafe.Pointer
	Offset simd.Lanes
}
