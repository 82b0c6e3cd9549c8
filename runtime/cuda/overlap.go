package cuda

import "github.com/cudagen/cudagen/runtime/cuda/internal/extent"

// overlapText is what errors say of a copy whose destination and source overlap. In what order a device
// copies bytes is not defined, so neither is what they are afterwards.
const overlapText = "the destination and the source overlap: copy by way of another buffer"

// overlap reports whether a copy of src to dst overwrites what it reads. A copy of memory to itself changes
// nothing, in whatever order. Only slices of one buffer are looked at.
func overlap[T any](dst, src Slice[T]) bool {
	return dst.owner == src.owner && dst.addr != src.addr && max(dst.addr, src.addr)-min(dst.addr, src.addr) < uint64(src.n)*sizeOf[T]()
}

// overlapBoxes is overlap of boxes, which have the same width, height and depth.
func overlapBoxes[T any](dst, src Box[T]) bool {
	if dst.slice.owner != src.slice.owner || dst.array != src.array {
		return false
	}
	if src.array != 0 {
		for n, length := range [3]int{src.shape.Width, src.shape.Height, src.shape.Depth} {
			if max(dst.at[n], src.at[n])-min(dst.at[n], src.at[n]) >= length {
				return false
			}
		}
		return dst.at != src.at
	}
	if dst.slice.addr == src.slice.addr && dst.shape == src.shape {
		return false
	}
	return extent.Overlap(dst.rows(), src.rows())
}

// rows returns the rows of b, a box of memory.
func (b Box[T]) rows() extent.Rows {
	s := b.shape
	return extent.Rows{
		Addr: b.slice.addr, Bytes: uint64(s.Width) * sizeOf[T](), Pitch: uint64(s.RowStride) * sizeOf[T](),
		Height: s.Height, Depth: s.Depth, PlaneRows: s.PlaneRows,
	}
}
