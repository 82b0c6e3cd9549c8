package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// A description is what a Description is.
type description struct {
	kind cusparse.MatrixType
	fill cusparse.FillMode
	diag cusparse.DiagType
	base cusparse.IndexBase
}

// setter returns what sets a field of a description to a value up to most.
func setter[V ~uint32](most V, field func(*description) *V) func(*cusparse.Description, V) error {
	return func(h *cusparse.Description, v V) error {
		d, err := stateOf[description](h.State())
		switch {
		case err != nil:
			return err
		case v > most:
			return cusparse.StatusInvalidValue
		}
		*field(&d) = v
		h.SetState(&d)
		return nil
	}
}

func getter[V ~uint32](field func(*description) *V) func(*cusparse.Description) (V, error) {
	return func(h *cusparse.Description) (V, error) {
		d, err := stateOf[description](h.State())
		return *field(&d), err
	}
}

func descriptions() {
	s := &cusparse.Simulated
	kind := func(d *description) *cusparse.MatrixType { return &d.kind }
	fill := func(d *description) *cusparse.FillMode { return &d.fill }
	diag := func(d *description) *cusparse.DiagType { return &d.diag }
	base := func(d *description) *cusparse.IndexBase { return &d.base }
	s.NewDescription = func(h *cusparse.Description, _ *cuda.Device) error {
		h.SetState(&description{})
		return nil
	}
	s.DescriptionSetMatType, s.DescriptionGetMatType = setter(cusparse.MatrixTypeTriangular, kind), getter(kind)
	s.DescriptionSetMatFillMode, s.DescriptionGetMatFillMode = setter(cusparse.FillModeUpper, fill), getter(fill)
	s.DescriptionSetMatDiagType, s.DescriptionGetMatDiagType = setter(cusparse.DiagTypeUnit, diag), getter(diag)
	s.DescriptionSetMatIndexBase, s.DescriptionGetMatIndexBase = setter(cusparse.IndexBaseOne, base), getter(base)
}

// countable refuses what cuSPARSE does not count.
func countable(dir cusparse.Direction, m, n int32, of *cusparse.Description, lda int32) error {
	d, err := stateOf[description](of.State())
	switch {
	case err != nil:
		return err
	case m < 0 || n < 0 || lda < max(1, m) || dir > cusparse.DirectionColumn:
		return cusparse.StatusInvalidValue
	case m == 0 || n == 0:
		return notSimulated("counting the values of an empty matrix")
	case d.kind != cusparse.MatrixTypeGeneral:
		return cusparse.StatusMatrixTypeNotSupported
	}
	return nil
}

// counts writes how many values of each row or column are not 0, and returns their sum.
func counts[T cusparse.Float](w *hostwork.Work, dir cusparse.Direction, m, n int, a cuda.Slice[T], lda int, per cuda.Slice[int32]) (total int32) {
	values := hostwork.Read(w, a, hostwork.Matrix(m, n, lda))
	list := make([]int32, m)
	if dir == cusparse.DirectionColumn {
		list = make([]int32, n)
	}
	for i := range m {
		for j := range n {
			if values[i+j*lda] == 0 {
				continue
			}
			total++
			if dir == cusparse.DirectionColumn {
				list[j]++
			} else {
				list[i]++
			}
		}
	}
	hostwork.Write(w, per, hostwork.Vector(len(list), 1), list)
	return total
}

func count[T cusparse.Float](_ *cusparse.Handle, s *cuda.Stream, dir cusparse.Direction, m, n int32, of *cusparse.Description, a cuda.Slice[T], lda int32, per cuda.Slice[int32]) (total int32, err error) {
	if err := countable(dir, m, n, of, lda); err != nil {
		return 0, err
	}
	err = hostwork.Run(s, func(w *hostwork.Work) { total = counts(w, dir, int(m), int(n), a, int(lda), per) }, a.Owner(), per.Owner())
	return total, err
}

func countDevice[T cusparse.Float](_ *cusparse.Handle, s *cuda.Stream, dir cusparse.Direction, m, n int32, of *cusparse.Description, a cuda.Slice[T], lda int32, per, total cuda.Slice[int32]) error {
	if err := countable(dir, m, n, of, lda); err != nil {
		return err
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		hostwork.Write(w, total, hostwork.Vector(1, 1), []int32{counts(w, dir, int(m), int(n), a, int(lda), per)})
	}, a.Owner(), per.Owner(), total.Owner())
}
