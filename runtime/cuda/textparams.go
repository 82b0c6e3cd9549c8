package cuda

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
)

// textMismatch says how the parameters of a kernel in the text of an image differ from spec's, or
// returns "". ok is false if the image is not PTX that can be read. With moved, hardware may
// have the parameters at other offsets.
//
// PTX ISA, State Spaces, Parameter State Space: Kernel Function Parameters.
func textMismatch(image Image, spec Spec, moved bool) (mismatch string, ok bool) {
	m, err := ptx.Parse(image.Name, []byte(image.Data))
	if err != nil {
		return "", false
	}
	i := slices.IndexFunc(m.Funcs, func(f *ptx.Func) bool { return f.Entry && f.Name == spec.Symbol })
	if i < 0 {
		return "", false
	}
	params := m.Funcs[i].Params
	offsets, _, ok := ptx.Offsets(params)
	if !ok {
		return "", false
	}
	if len(params) != len(spec.Params) {
		return fmt.Sprintf("it has %d parameters, the Go code has %d", len(params), len(spec.Params)), true
	}
	for n, p := range spec.Params {
		size, _ := params[n].Size()
		switch {
		case size != int64(p.Size):
			return fmt.Sprintf("%s has %d bytes, %d in the Go code", p.numbered(n), size, p.Size), true
		case offsets[n] != int64(p.Offset) && !moved:
			return fmt.Sprintf("%s is at byte %d, at %d in the Go code", p.numbered(n), offsets[n], p.Offset), true
		}
	}
	return "", true
}
