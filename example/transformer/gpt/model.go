package gpt

import (
	"errors"
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Model trains on a device. One goroutine at a time may use it.
type Model struct {
	config   Config
	stream   *cuda.Stream
	weights  *cuda.Buffer[float32]
	gradient *cuda.Buffer[float32]
	mean     *cuda.Buffer[float32] // of Adam, as is square
	square   *cuda.Buffer[float32]
	ids      *cuda.Buffer[int32]
	targets  *cuda.Buffer[int32]
	p        cuda.Slice[float32] // of the next character, for each row
	forward  *cuda.Batch
	backward *cuda.Batch
	update   *AdamCall
	steps    int
	closers  []func() error
}

// New makes a model on dev. Its first weights are given: Config.Random makes some.
func New(dev *cuda.Device, c Config, first []float32) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(first) != c.Weights() {
		return nil, fmt.Errorf("gpt: %d weights, want %d", len(first), c.Weights())
	}
	m := &Model{config: c}
	if err := m.open(dev, first); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// open loads the kernels, allocates memory, and prepares all launches of a step.
func (m *Model) open(dev *cuda.Device, first []float32) error {
	k, err := LoadKernels(dev)
	if err != nil {
		return err
	}
	m.closers = append(m.closers, k.Close)
	if m.stream, err = dev.NewStream(); err != nil {
		return err
	}
	m.closers = append(m.closers, m.stream.Close)
	rows := m.config.rows()
	m.ids, m.targets = buffer[int32](m, &err, rows), buffer[int32](m, &err, rows)
	for _, b := range []**cuda.Buffer[float32]{&m.weights, &m.gradient, &m.mean, &m.square} {
		*b = buffer[float32](m, &err, len(first))
	}
	v := newValues(m.config, func(n int) cuda.Slice[float32] { return buffer[float32](m, &err, n).All() })
	if err != nil {
		return err
	}
	m.p = v.p
	if err := errors.Join(m.weights.CopyFrom(m.stream, first), m.mean.Clear(m.stream), m.square.Clear(m.stream)); err != nil {
		return err
	}
	l := launches{Config: m.config, k: k, ids: m.ids.All(), targets: m.targets.All(), w: parts(m.config, m.weights), d: parts(m.config, m.gradient), v: v}
	if m.forward, err = l.batch(l.forward); err != nil {
		return err
	}
	if m.backward, err = l.batch(l.backward); err != nil {
		return err
	}
	m.update, err = k.Adam.PrepareDefault(m.adam())
	return err
}

// buffer returns a buffer of n elements. With an error, in *err, it returns nil.
func buffer[T any](m *Model, err *error, n int) (b *cuda.Buffer[T]) {
	if *err != nil {
		return nil
	}
	if b, *err = cuda.Alloc[T](m.stream, n); *err == nil {
		m.closers = append(m.closers, b.Close)
	}
	return b
}

// parts returns the parts of a buffer that holds weights, or their gradients.
func parts(c Config, b *cuda.Buffer[float32]) weights[cuda.Slice[float32]] {
	at := 0
	return newWeights(c, func(n int) cuda.Slice[float32] {
		at += n
		return b.Slice(at-n, at)
	})
}

// adam returns the arguments of the next update.
func (m *Model) adam() AdamArgs {
	mean, square := shares(m.steps + 1)
	return AdamArgs{Weights: m.weights.All(), Gradient: m.gradient.All(), Mean: m.mean.All(), Square: m.square.All(),
		MeanShare: mean, SquareShare: square}
}

// Config returns the shape of m.
func (m *Model) Config() Config { return m.config }

// Stream returns the stream on which m works.
func (m *Model) Stream() *cuda.Stream { return m.stream }

// Weights returns the weights, on the device.
func (m *Model) Weights() cuda.Slice[float32] { return m.weights.All() }

// Gradient returns the gradient of the loss by each weight, which Gradients writes and Update reads.
// Work on m.Stream may change it between the two.
func (m *Model) Gradient() cuda.Slice[float32] { return m.gradient.All() }

// Gradients computes the loss of a step: the mean of -log p of targets. It writes Gradient, and
// leaves the weights as they are.
func (m *Model) Gradients(inputs, targets []int32) (loss float64, err error) {
	if err := errors.Join(m.config.checkBatch(inputs), m.config.checkBatch(targets)); err != nil {
		return 0, err
	}
	err = errors.Join(m.ids.CopyFrom(m.stream, inputs), m.targets.CopyFrom(m.stream, targets))
	if err != nil {
		return 0, err
	}
	if err := m.forward.Launch(m.stream); err != nil {
		return 0, err
	}
	if err := m.backward.Launch(m.stream); err != nil {
		return 0, err
	}
	p, err := m.p.Download(m.stream)
	if err != nil {
		return 0, err
	}
	return m.config.loss(p, targets), nil
}

// Update moves the weights against Gradient, by Adam.
func (m *Model) Update(rate float32) error {
	args := m.adam()
	args.Rate = rate
	if err := m.update.Set(args); err != nil {
		return err
	}
	if err := m.update.Launch(m.stream); err != nil {
		return err
	}
	m.steps++
	return nil
}

// Predict returns how probable each character is behind the last Config.Context of ids.
func (m *Model) Predict(ids []int32) ([]float32, error) {
	inputs, row, err := m.config.window(ids)
	if err != nil {
		return nil, err
	}
	if err := m.ids.CopyFrom(m.stream, inputs); err != nil {
		return nil, err
	}
	if err := m.targets.Clear(m.stream); err != nil {
		return nil, err
	}
	if err := m.forward.Launch(m.stream); err != nil {
		return nil, err
	}
	n := m.config.Vocabulary
	return (m.p.Slice(row*n, (row+1)*n)).Download(m.stream)
}

// Close closes what New opened.
func (m *Model) Close() error {
	if m == nil {
		return nil
	}
	var errs []error
	for _, c := range m.closers {
		defer func() { errs = append(errs, c()) }()
	}
	m.closers = nil
	return errors.Join(errs...)
}
