package simulated

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// number is what cuSOLVER calculates with.
type number interface {
	float32 | float64 | complex64 | complex128
}

// A memory is memory of the device whose elements are numbers.
type memory interface {
	read(w *hostwork.Work, part hostwork.Part) []complex128
	write(w *hostwork.Work, part hostwork.Part, values []complex128)
	size() int // of an element, in bytes
	Owner() cuda.Owner
}

// of is memory whose elements are of type T.
type of[T number] struct{ cuda.Slice[T] }

func (s of[T]) read(w *hostwork.Work, part hostwork.Part) []complex128 {
	values := hostwork.Read(w, s.Slice, part)
	wider := make([]complex128, len(values))
	for i, v := range values {
		wider[i] = wide(v)
	}
	return wider
}

func (s of[T]) write(w *hostwork.Work, part hostwork.Part, values []complex128) {
	narrower := make([]T, len(values))
	for i, v := range values {
		narrower[i] = narrow[T](v)
	}
	hostwork.Write(w, s.Slice, part, narrower)
}

func (s of[T]) size() int { return int(unsafe.Sizeof(*new(T))) }

// A matrix is one in the memory of the host, by columns. It is calculated in double precision, and real ones as complex ones without
// imaginary parts: so that there is one form of each method.
type matrix struct {
	rows, columns int
	v             []complex128
}

func newMatrix(rows, columns int) *matrix {
	return &matrix{rows, columns, make([]complex128, rows*columns)}
}

// identity returns the first columns of an identity matrix.
func identity(rows, columns int) *matrix {
	m := newMatrix(rows, columns)
	for i := range min(rows, columns) {
		m.set(i, i, 1)
	}
	return m
}

func (m *matrix) at(i, j int) complex128     { return m.v[i+j*m.rows] }
func (m *matrix) set(i, j int, v complex128) { m.v[i+j*m.rows] = v }
func (m *matrix) column(j int) []complex128  { return m.v[j*m.rows : (j+1)*m.rows] }

// first returns a copy of the first columns of m.
func (m *matrix) first(columns int) *matrix {
	return &matrix{m.rows, columns, append([]complex128(nil), m.v[:m.rows*columns]...)}
}

// adjoint returns the conjugate transpose of m.
func (m *matrix) adjoint() *matrix {
	t := newMatrix(m.columns, m.rows)
	for j := range m.columns {
		for i := range m.rows {
			t.set(j, i, conj(m.at(i, j)))
		}
	}
	return t
}

func conj(v complex128) complex128 { return complex(real(v), -imag(v)) }

// triangle is the part of an n by n matrix on one side of the diagonal, and the diagonal.
func triangle(upper bool, n, ld int) hostwork.Part {
	return hostwork.Runs(func(yield func(at, n int) bool) {
		for j := range n {
			at, count := j*ld+j, n-j
			if upper {
				at, count = j*ld, j+1
			}
			if !yield(at, count) {
				return
			}
		}
	})
}

// read returns the elements of s that part has.
func read(w *hostwork.Work, s memory, part hostwork.Part, rows, columns, ld int) *matrix {
	values := s.read(w, part)
	m := newMatrix(rows, columns)
	for j := range columns {
		for i := range rows {
			if at := j*ld + i; at < len(values) {
				m.set(i, j, values[at])
			}
		}
	}
	return m
}

// write writes the elements of m that part has to s.
func write(w *hostwork.Work, s memory, part hostwork.Part, m *matrix, ld int) {
	values := make([]complex128, part.Span())
	for j := range m.columns {
		for i := range m.rows {
			if at := j*ld + i; at < len(values) {
				values[at] = m.at(i, j)
			}
		}
	}
	s.write(w, part, values)
}

// readAll and writeAll are for all elements of a matrix.
func readAll(w *hostwork.Work, s memory, rows, columns, ld int) *matrix {
	return read(w, s, hostwork.Matrix(rows, columns, ld), rows, columns, ld)
}

func writeAll(w *hostwork.Work, s memory, m *matrix, ld int) {
	write(w, s, hostwork.Matrix(m.rows, m.columns, ld), m, ld)
}

// writeReals writes numbers one behind the other.
func writeReals(w *hostwork.Work, s memory, values []float64) {
	list := make([]complex128, len(values))
	for i, v := range values {
		list[i] = complex(v, 0)
	}
	s.write(w, hostwork.Vector(len(list), 1), list)
}

func wide[T number](v T) complex128 {
	switch v := any(v).(type) {
	case float32:
		return complex(float64(v), 0)
	case float64:
		return complex(v, 0)
	case complex64:
		return complex128(v)
	case complex128:
		return v
	}
	return 0
}

func narrow[T number](v complex128) (n T) {
	switch n := any(&n).(type) {
	case *float32:
		*n = float32(real(v))
	case *float64:
		*n = real(v)
	case *complex64:
		*n = complex64(v)
	case *complex128:
		*n = v
	}
	return n
}
