package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
)

// textMismatch says how the parameters of a kernel in the text of an image differ from spec's, or
// returns "". ok is false if the image is not PTX that can be read. With moved, hardware may
// have the parameters at other offsets.
func textMismatch(of Image, spec Spec, moved bool) (mismatch string, ok bool) {
	params, ok := image.Params(of.Name, of.Data, spec.Symbol)
	if !ok {
		return "", false
	}
	if len(params) != len(spec.Params) {
		return fmt.Sprintf("it has %d parameters, the Go code has %d", len(params), len(spec.Params)), true
	}
	for n, p := range spec.Params {
		switch at := params[n]; {
		case at.Size != uint64(p.Size):
			return fmt.Sprintf("%s has %d bytes, %d in the Go code", p.numbered(n), at.Size, p.Size), true
		case at.Offset != uint64(p.Offset) && !moved:
			return fmt.Sprintf("%s is at byte %d, at %d in the Go code", p.numbered(n), at.Offset, p.Offset), true
		}
	}
	return "", true
}
