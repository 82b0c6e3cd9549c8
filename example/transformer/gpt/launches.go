package gpt

import "github.com/cudagen/cudagen/runtime/cuda"

// launches prepares the launches of a step. They have the same arguments in each.
type launches struct {
	Config
	k            *Kernels
	ids, targets cuda.Slice[int32]
	w, d         weights[cuda.Slice[float32]] // weights, their gradients
	v            values[cuda.Slice[float32]]

	calls []cuda.Prepared
	err   error
}

// batch returns the launches that add prepares.
func (l *launches) batch(add func()) (*cuda.Batch, error) {
	l.calls = nil
	add()
	if l.err != nil {
		return nil, l.err
	}
	return cuda.NewBatch(l.calls...)
}

// add prepares a launch, unless an earlier one failed.
func add[Args any, Call cuda.Prepared](l *launches, prepare func(Args) (Call, error), args Args) {
	if l.err != nil {
		return
	}
	call, err := prepare(args)
	l.calls, l.err = append(l.calls, call), err
}

type slice = cuda.Slice[float32]

// forward computes p from ids.
func (l *launches) forward() {
	rows, width := int32(l.rows()), int32(l.Width)
	add(l, l.k.Embed.PrepareDefault, EmbedArgs{Ids: l.ids, Tokens: l.w.tokens, Places: l.w.places, X: l.v.x, Rows: rows,
		Width: width, Context: int32(l.Context), Vocabulary: int32(l.Vocabulary)})
	x := l.v.x
	for i, w := range l.w.layers {
		v := l.v.layers[i]
		l.norm(x, w.norm1, v.normed1, v.scale1)
		l.matmul(v.normed1, w.qkv, slice{}, v.qkv, l.Width, 3*l.Width)
		add(l, l.k.Attend.PrepareDefault, AttendArgs{Qkv: v.qkv, P: v.p, Batch: int32(l.Batch), Heads: int32(l.Heads),
			Context: int32(l.Context), Depth: int32(l.Width / l.Heads)})
		add(l, l.k.Mix.PrepareDefault, MixArgs{Qkv: v.qkv, P: v.p, Out: v.mixed, Batch: int32(l.Batch), Heads: int32(l.Heads),
			Context: int32(l.Context), Depth: int32(l.Width / l.Heads)})
		l.matmul(v.mixed, w.project, x, v.middle, l.Width, l.Width)
		l.norm(v.middle, w.norm2, v.normed2, v.scale2)
		l.matmul(v.normed2, w.up, slice{}, v.hidden, l.Width, l.Hidden)
		add(l, l.k.Relu.PrepareDefault, ReluArgs{X: v.hidden, Y: v.positive})
		l.matmul(v.positive, w.down, v.middle, v.out, l.Hidden, l.Width)
		x = v.out
	}
	l.norm(x, l.w.norm, l.v.normed, l.v.scale)
	l.matmul(l.v.normed, l.w.head, slice{}, l.v.logits, l.Width, l.Vocabulary)
	add(l, l.k.CrossEntropy.PrepareDefault, CrossEntropyArgs{Logits: l.v.logits, Targets: l.targets, P: l.v.p,
		DLogits: l.v.dLogits, Rows: rows, Columns: int32(l.Vocabulary)})
}

// backward computes the gradients of all weights from what forward left.
func (l *launches) backward() {
	x := func(layer int) slice {
		if layer == 0 {
			return l.v.x
		}
		return l.v.layers[layer-1].out
	}
	l.matmulBack(l.v.normed, l.w.head, l.v.dLogits, l.v.dNormed, l.d.head, l.Width, l.Vocabulary)
	l.normBack(x(l.Layers), l.w.norm, l.v.scale, slice{}, l.d.norm)
	for i := l.Layers - 1; i >= 0; i-- {
		v, w, d := l.v.layers[i], l.w.layers[i], l.d.layers[i]
		l.matmulBack(v.positive, w.down, l.v.dx, l.v.dHidden, d.down, l.Hidden, l.Width)
		add(l, l.k.ReluBack.PrepareDefault, ReluBackArgs{X: v.hidden, D: l.v.dHidden})
		l.matmulBack(v.normed2, w.up, l.v.dHidden, l.v.dNormed, d.up, l.Width, l.Hidden)
		l.normBack(v.middle, w.norm2, v.scale2, l.v.dx, d.norm2)
		l.matmulBack(v.mixed, w.project, l.v.dx, l.v.dMixed, d.project, l.Width, l.Width)
		add(l, l.k.AttendBack.PrepareDefault, AttendBackArgs{Qkv: v.qkv, P: v.p, DOut: l.v.dMixed, DScores: l.v.dP,
			Batch: int32(l.Batch), Heads: int32(l.Heads), Context: int32(l.Context), Depth: int32(l.Width / l.Heads)})
		add(l, l.k.QkvBack.PrepareDefault, QkvBackArgs{Qkv: v.qkv, P: v.p, DScores: l.v.dP, DOut: l.v.dMixed, DQkv: l.v.dQkv,
			Batch: int32(l.Batch), Heads: int32(l.Heads), Context: int32(l.Context), Depth: int32(l.Width / l.Heads)})
		l.matmulBack(v.normed1, w.qkv, l.v.dQkv, l.v.dNormed, d.qkv, l.Width, 3*l.Width)
		l.normBack(x(i), w.norm1, v.scale1, l.v.dx, d.norm1)
	}
	add(l, l.k.EmbedBack.PrepareDefault, EmbedBackArgs{Ids: l.ids, Dx: l.v.dx, DTokens: l.d.tokens, DPlaces: l.d.places,
		Rows: int32(l.rows()), Width: int32(l.Width), Context: int32(l.Context), Vocabulary: int32(l.Vocabulary)})
}

// norm computes y and scale from x.
func (l *launches) norm(x, weights, y, scale slice) {
	add(l, l.k.RmsNorm.PrepareDefault, RmsNormArgs{X: x, Weights: weights, Y: y, Scale: scale, Rows: int32(l.rows()), Width: int32(l.Width)})
}

// normBack adds to base, in dx, the gradient of x, and computes that of weights, from dNormed.
func (l *launches) normBack(x, weights, scale, base, dWeights slice) {
	rows, width := int32(l.rows()), int32(l.Width)
	add(l, l.k.RmsNormBack.PrepareDefault, RmsNormBackArgs{X: x, Weights: weights, Scale: scale, Dy: l.v.dNormed, Base: base, Dx: l.v.dx,
		Rows: rows, Width: width})
	add(l, l.k.RmsNormWeightsBack.PrepareDefault, RmsNormWeightsBackArgs{X: x, Scale: scale, Dy: l.v.dNormed, DWeights: dWeights,
		Rows: rows, Width: width})
}

// matmul computes c = base + a·b for every row, where b has inner × columns numbers.
func (l *launches) matmul(a, b, base, c slice, inner, columns int) {
	add(l, l.k.Matmul.PrepareDefault, MatmulArgs{A: a, B: b, Base: base, C: c, Rows: int32(l.rows()), Inner: int32(inner),
		Columns: int32(columns)})
}

// matmulBack computes the gradients of a and b from dc, that of their product.
func (l *launches) matmulBack(a, b, dc, da, db slice, inner, columns int) {
	add(l, l.k.Matmul.PrepareDefault, MatmulArgs{A: dc, B: b, C: da, Rows: int32(l.rows()), Inner: int32(columns),
		Columns: int32(inner), TransposeB: true})
	add(l, l.k.Matmul.PrepareDefault, MatmulArgs{A: a, B: dc, C: db, Rows: int32(inner), Inner: int32(l.rows()),
		Columns: int32(columns), TransposeA: true})
}
