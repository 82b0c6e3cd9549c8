package simulated

import "gonum.org/v1/gonum/dsp/fourier"

// transform returns the transform of the values of one batch: of real numbers those that determine the others, and back.
func (p *plan) transform(values []complex128, inverse bool) []complex128 {
	if p.realOut() {
		values = p.whole(values)
	}
	transformAll(values, p.dims, inverse)
	if p.realIn() {
		return p.keep(values)
	}
	return values
}

// whole returns the complex numbers of a transform of real numbers of which half are given: element -k is the conjugate of element k.
func (p *plan) whole(half []complex128) []complex128 {
	last := p.dims[len(p.dims)-1]
	row := last/2 + 1
	all := make([]complex128, volume(p.dims))
	for i := range all {
		x := i % last
		if x < row {
			all[i] = half[i/last*row+x]
			continue
		}
		mirrored := p.mirror(i / last)
		v := half[mirrored*row+last-x]
		all[i] = complex(real(v), -imag(v))
	}
	return all
}

// mirror returns the row whose indices in all dimensions but the last are the negative ones of row.
func (p *plan) mirror(row int) int {
	mirrored, scale := 0, 1
	for d := len(p.dims) - 2; d >= 0; d-- {
		size := p.dims[d]
		mirrored += (size - row%size) % size * scale
		row /= size
		scale *= size
	}
	return mirrored
}

// keep returns the first half of each row.
func (p *plan) keep(all []complex128) (half []complex128) {
	last := p.dims[len(p.dims)-1]
	for i := 0; i < len(all); i += last {
		half = append(half, all[i:i+last/2+1]...)
	}
	return half
}

// transformAll transforms values in each of their dimensions. The inverse is not divided by the number of elements, as in cuFFT.
func transformAll(values []complex128, dims []int, inverse bool) {
	stride := 1
	for d := len(dims) - 1; d >= 0; d-- {
		n := dims[d]
		fft := fourier.NewCmplxFFT(n)
		line := make([]complex128, n)
		for begin := range len(values) / n {
			at := begin/stride*stride*n + begin%stride
			for i := range line {
				line[i] = values[at+i*stride]
			}
			if inverse {
				fft.Sequence(line, line)
			} else {
				fft.Coefficients(line, line)
			}
			for i, v := range line {
				values[at+i*stride] = v
			}
		}
		stride *= n
	}
}
