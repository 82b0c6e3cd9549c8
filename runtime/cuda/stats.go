package cuda

import "sync/atomic"

// counts are what a device counts beside what it has anyway. Launches are not counted: an atomic
// addition would cost each of them more than all that it does in Go.
type counts struct {
	trims     atomic.Uint64
	imageHits atomic.Uint64
}
