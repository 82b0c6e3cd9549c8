package cusparse

import "github.com/cudagen/cudagen/runtime/clib"

// at returns the number of bytes that p tells.
func at(p *uint64) int64 {
	if p == nil {
		return 0 // which is an error of the call
	}
	return clib.Unsigned(*p)
}
