package gpt

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Plain is the model in plain Go. It has the operations of the kernels, in their order: every number
// is the same as a Model's, bit by bit. A conversion around each product keeps the compiler from
// fusing it into a sum.
type Plain struct {
	config                   Config
	all, gradient            []float32 // weights, gradients
	mean, square             []float32 // of Adam
	w, d                     weights[[]float32]
	v                        values[[]float32]
	steps                    int
	rows, width, heads, long int // long is Config.Context
}

// NewPlain makes a model. It changes a copy of the first weights.
func NewPlain(c Config, first []float32) (*Plain, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(first) != c.Weights() {
		return nil, fmt.Errorf("gpt: %d weights, want %d", len(first), c.Weights())
	}
	n := len(first)
	m := &Plain{config: c, all: slices.Clone(first), gradient: make([]float32, n), mean: make([]float32, n), square: make([]float32, n),
		rows: c.rows(), width: c.Width, heads: c.Heads, long: c.Context}
	cut := func(all []float32) weights[[]float32] {
		return newWeights(c, func(n int) (part []float32) {
			part, all = all[:n], all[n:]
			return part
		})
	}
	m.w, m.d = cut(m.all), cut(m.gradient)
	m.v = newValues(c, func(n int) []float32 { return make([]float32, n) })
	return m, nil
}

// Config returns the shape of m.
func (m *Plain) Config() Config { return m.config }

// Weights returns the weights. They are not a copy.
func (m *Plain) Weights() []float32 { return m.all }

// Gradient returns the gradient of the loss by each weight. It is not a copy.
func (m *Plain) Gradient() []float32 { return m.gradient }

// Gradients is Model.Gradients.
func (m *Plain) Gradients(inputs, targets []int32) (loss float64, err error) {
	if err := errors.Join(m.config.checkBatch(inputs), m.config.checkBatch(targets)); err != nil {
		return 0, err
	}
	m.forward(inputs, targets)
	m.backward(inputs)
	return m.config.loss(m.v.p, targets), nil
}

// Predict is Model.Predict.
func (m *Plain) Predict(ids []int32) ([]float32, error) {
	inputs, row, err := m.config.window(ids)
	if err != nil {
		return nil, err
	}
	m.forward(inputs, make([]int32, len(inputs)))
	n := m.config.Vocabulary
	return slices.Clone(m.v.p[row*n : (row+1)*n]), nil
}

func (m *Plain) forward(ids, targets []int32) {
	for i := range m.v.x {
		row, column := i/m.width, i%m.width
		m.v.x[i] = m.w.tokens[int(ids[row])*m.width+column] + m.w.places[row%m.long*m.width+column]
	}
	x := m.v.x
	for i, w := range m.w.layers {
		v := m.v.layers[i]
		m.norm(x, w.norm1, v.normed1, v.scale1)
		matmul(v.normed1, w.qkv, nil, v.qkv, m.rows, m.width, 3*m.width, false, false)
		m.attend(v.qkv, v.p)
		m.mix(v.qkv, v.p, v.mixed)
		matmul(v.mixed, w.project, x, v.middle, m.rows, m.width, m.width, false, false)
		m.norm(v.middle, w.norm2, v.normed2, v.scale2)
		matmul(v.normed2, w.up, nil, v.hidden, m.rows, m.width, m.config.Hidden, false, false)
		for i, x := range v.hidden {
			v.positive[i] = 0
			if x > 0 {
				v.positive[i] = x
			}
		}
		matmul(v.positive, w.down, v.middle, v.out, m.rows, m.config.Hidden, m.width, false, false)
		x = v.out
	}
	m.norm(x, m.w.norm, m.v.normed, m.v.scale)
	matmul(m.v.normed, m.w.head, nil, m.v.logits, m.rows, m.width, m.config.Vocabulary, false, false)
	m.crossEntropy(targets)
}

func (m *Plain) backward(ids []int32) {
	v := &m.v
	x := v.x
	if n := len(v.layers); n > 0 {
		x = v.layers[n-1].out
	}
	m.matmulBack(v.normed, m.w.head, v.dLogits, v.dNormed, m.d.head, m.width, m.config.Vocabulary)
	m.normBack(x, m.w.norm, v.scale, nil, m.d.norm)
	for i, l := range slices.Backward(v.layers) {
		w, d := m.w.layers[i], m.d.layers[i]
		m.matmulBack(l.positive, w.down, v.dx, v.dHidden, d.down, m.config.Hidden, m.width)
		for i, x := range l.hidden {
			if !(x > 0) {
				v.dHidden[i] = 0
			}
		}
		m.matmulBack(l.normed2, w.up, v.dHidden, v.dNormed, d.up, m.width, m.config.Hidden)
		m.normBack(l.middle, w.norm2, l.scale2, v.dx, d.norm2)
		m.matmulBack(l.mixed, w.project, v.dx, v.dMixed, d.project, m.width, m.width)
		m.attendBack(l.qkv, l.p)
		m.qkvBack(l.qkv, l.p)
		m.matmulBack(l.normed1, w.qkv, v.dQkv, v.dNormed, d.qkv, m.width, 3*m.width)
		x := v.x
		if i > 0 {
			x = v.layers[i-1].out
		}
		m.normBack(x, w.norm1, l.scale1, v.dx, d.norm1)
	}
	clear(m.d.tokens)
	clear(m.d.places)
	for i, d := range v.dx {
		row, column := i/m.width, i%m.width
		m.d.tokens[int(ids[row])*m.width+column] += d
		m.d.places[row%m.long*m.width+column] += d
	}
}

// Update is Model.Update.
func (m *Plain) Update(rate float32) {
	m.steps++
	meanShare, squareShare := shares(m.steps)
	for i, g := range m.gradient {
		mean := float32(0.9*m.mean[i]) + float32(0.1*g)
		square := float32(0.99*m.square[i]) + float32(0.01*float32(g*g))
		m.mean[i], m.square[i] = mean, square
		m.all[i] -= float32(rate*(mean/meanShare)) / (root(square/squareShare) + 1e-8)
	}
}

// root is the root of x, rounded once.
func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// exponential is the function of that name in kernels.cu.
func exponential(x float32) float32 {
	if x < -87 {
		return 0
	}
	n := float32(math.RoundToEven(float64(float32(x * 1.44269504))))
	r := x - float32(n*0.693359375) - float32(n*-2.12194440e-4)
	p := float32(1.9875691500e-4)
	for _, c := range []float32{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		p = float32(p*r) + c
	}
	return (float32(p*float32(r*r)) + r + 1) * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// matmul is the kernel of that name.
func matmul(a, b, base, c []float32, rows, inner, columns int, transposeA, transposeB bool) {
	for i := range rows * columns {
		row, column := i/columns, i%columns
		var sum float32
		if base != nil {
			sum = base[i]
		}
		for k := range inner {
			atA, atB := row*inner+k, k*columns+column
			if transposeA {
				atA = k*rows + row
			}
			if transposeB {
				atB = column*inner + k
			}
			sum += float32(a[atA] * b[atB])
		}
		c[i] = sum
	}
}

func (m *Plain) matmulBack(a, b, dc, da, db []float32, inner, columns int) {
	matmul(dc, b, nil, da, m.rows, columns, inner, false, true)
	matmul(a, dc, nil, db, inner, m.rows, columns, true, false)
}

func (m *Plain) norm(x, weights, y, scale []float32) {
	for row := range m.rows {
		x, y := x[row*m.width:][:m.width], y[row*m.width:]
		var sum float32
		for _, x := range x {
			sum += float32(x * x)
		}
		s := 1 / root(sum/float32(m.width)+1e-5)
		for i, x := range x {
			y[i] = float32(x*s) * weights[i]
		}
		scale[row] = s
	}
}

// normBack is the kernels rms_norm_back and rms_norm_weights_back.
func (m *Plain) normBack(x, weights, scale, base, dWeights []float32) {
	for i := range dWeights {
		var sum float32
		for row, s := range scale {
			at := row*m.width + i
			sum += float32(float32(m.v.dNormed[at]*x[at]) * s)
		}
		dWeights[i] = sum
	}
	for row, s := range scale {
		dy := m.v.dNormed[row*m.width:][:m.width]
		var dot float32
		for i, d := range dy {
			dot += float32(float32(d*weights[i]) * x[row*m.width+i])
		}
		along := float32(float32(float32(dot*s)*s)*s) / float32(m.width)
		for i, d := range dy {
			at := row*m.width + i
			var sum float32
			if base != nil {
				sum = base[at]
			}
			change := float32(float32(d*weights[i])*s) - float32(x[at]*along)
			m.v.dx[at] = sum + change
		}
	}
}

// row returns one of the queries (0), keys (1) or values (2) of a head.
func (m *Plain) row(qkv []float32, text, t, head, which int) []float32 {
	depth := m.width / m.heads
	return qkv[(text*m.long+t)*3*m.width+which*m.width+head*depth:][:depth]
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += float32(a[i] * b[i])
	}
	return sum
}

func (m *Plain) attend(qkv, p []float32) {
	scale := 1 / root(float32(m.width/m.heads))
	for i := range m.config.Batch * m.heads * m.long {
		t, head, text := i%m.long, i/m.long%m.heads, i/(m.long*m.heads)
		p := p[i*m.long:][:m.long]
		clear(p)
		for s := range t + 1 {
			p[s] = dot(m.row(qkv, text, t, head, 0), m.row(qkv, text, s, head, 1)) * scale
		}
		softmax(p[:t+1])
	}
}

// softmax makes probabilities.
func softmax(p []float32) {
	most := slices.Max(p)
	var sum float32
	for i := range p {
		p[i] = exponential(p[i] - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

func (m *Plain) mix(qkv, p, out []float32) {
	for i := range out {
		column, t, text := i%m.width, i/m.width%m.long, i/(m.width*m.long)
		p := p[((text*m.heads+column/(m.width/m.heads))*m.long+t)*m.long:]
		var sum float32
		for s := range t + 1 {
			sum += float32(p[s] * qkv[(text*m.long+s)*3*m.width+2*m.width+column])
		}
		out[i] = sum
	}
}

func (m *Plain) attendBack(qkv, p []float32) {
	depth := m.width / m.heads
	scale := 1 / root(float32(depth))
	for i := range m.config.Batch * m.heads * m.long {
		t, head, text := i%m.long, i/m.long%m.heads, i/(m.long*m.heads)
		p, dScores := p[i*m.long:][:m.long], m.v.dP[i*m.long:][:m.long]
		dOut := m.v.dMixed[(text*m.long+t)*m.width+head*depth:][:depth]
		clear(dScores)
		var sum float32
		for s := range t + 1 {
			dScores[s] = dot(dOut, m.row(qkv, text, s, head, 2))
			sum += float32(p[s] * dScores[s])
		}
		for s := range t + 1 {
			dScores[s] = float32(p[s]*(dScores[s]-sum)) * scale
		}
	}
}

func (m *Plain) qkvBack(qkv, p []float32) {
	for i := range m.v.dMixed {
		column, t, text := i%m.width, i/m.width%m.long, i/(m.width*m.long)
		square := (text*m.heads + column/(m.width/m.heads)) * m.long * m.long
		p, dScores := p[square:], m.v.dP[square:]
		qkv, dOut := qkv[text*m.long*3*m.width+column:], m.v.dMixed[text*m.long*m.width+column:]
		var dQuery, dKey, dValue float32
		for s := range t + 1 {
			dQuery += float32(dScores[t*m.long+s] * qkv[s*3*m.width+m.width])
		}
		for s := t; s < m.long; s++ {
			dKey += float32(dScores[s*m.long+t] * qkv[s*3*m.width])
			dValue += float32(p[s*m.long+t] * dOut[s*m.width])
		}
		d := m.v.dQkv[(text*m.long+t)*3*m.width+column:]
		d[0], d[m.width], d[2*m.width] = dQuery, dKey, dValue
	}
}

func (m *Plain) crossEntropy(targets []int32) {
	n := m.config.Vocabulary
	for row, target := range targets {
		p := m.v.p[row*n:][:n]
		copy(p, m.v.logits[row*n:])
		softmax(p)
		for i, p := range p {
			if int32(i) == target {
				p--
			}
			m.v.dLogits[row*n+i] = p / float32(m.rows)
		}
	}
}
