package cuda

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
	size := [3]int{src.shape.Width, src.shape.Height, src.shape.Depth}
	if src.array != 0 {
		for n, length := range size {
			if max(dst.at[n], src.at[n])-min(dst.at[n], src.at[n]) >= length {
				return false
			}
		}
		return dst.at != src.at
	}
	if dst.slice.addr == src.slice.addr && dst.shape == src.shape {
		return false
	}
	to, from := boxRows[T]{box: dst}, boxRows[T]{box: src}
	if to.end() <= from.begin() || from.end() <= to.begin() {
		return false
	}
	// Rows of either box follow each other in memory: both are gone through at once.
	for to.left() && from.left() {
		a, b := to.begin(), from.begin()
		switch width := uint64(size[0]) * sizeOf[T](); {
		case a+width <= b:
			to.next()
		case b+width <= a:
			from.next()
		default:
			return true
		}
	}
	return false
}

// boxRows goes through the rows of a box of memory.
type boxRows[T any] struct {
	box        Box[T]
	row, plane int
}

func (r *boxRows[T]) left() bool { return r.plane < r.box.shape.Depth && r.box.shape.Height > 0 }

// begin returns the address of the row.
func (r *boxRows[T]) begin() uint64 {
	return r.box.slice.addr + uint64(r.plane*r.box.shape.PlaneRows+r.row)*uint64(r.box.shape.RowStride)*sizeOf[T]()
}

// end returns the address behind the last row of the box.
func (r *boxRows[T]) end() uint64 {
	s := r.box.shape
	last := boxRows[T]{box: r.box, row: s.Height - 1, plane: s.Depth - 1}
	return last.begin() + uint64(s.Width)*sizeOf[T]()
}

func (r *boxRows[T]) next() {
	if r.row++; r.row == r.box.shape.Height {
		r.row, r.plane = 0, r.plane+1
	}
}
