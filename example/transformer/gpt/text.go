package gpt

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// A Text is what a model learns: characters with numbers from 0.
type Text struct {
	Alphabet []rune
	ids      []int32
}

// NewText numbers the characters of s, which must not be empty.
func NewText(s string) (*Text, error) {
	if s == "" {
		return nil, errors.New("gpt: the text is empty")
	}
	t := &Text{Alphabet: []rune(s)}
	slices.Sort(t.Alphabet)
	t.Alphabet = slices.Compact(t.Alphabet)
	t.ids = t.Encode(s)
	return t, nil
}

// Encode returns the numbers of the characters of s. Characters that the text lacks are left out.
func (t *Text) Encode(s string) (ids []int32) {
	for _, r := range s {
		if id, ok := slices.BinarySearch(t.Alphabet, r); ok {
			ids = append(ids, int32(id))
		}
	}
	return ids
}

// Batch returns the characters of a step: c.Batch parts of the text, and the character that follows
// each. The text goes round. The same step has the same parts.
func (t *Text) Batch(c Config, step int) (inputs, targets []int32) {
	random := rand.New(rand.NewPCG(uint64(step), 1))
	for range c.Batch {
		at := random.IntN(len(t.ids))
		for i := range c.Context {
			inputs = append(inputs, t.ids[(at+i)%len(t.ids)])
			targets = append(targets, t.ids[(at+i+1)%len(t.ids)])
		}
	}
	return inputs, targets
}

// A Predictor says how probable each character is behind the last Context of a text: a Model, or
// Plain.
type Predictor interface {
	Config() Config
	Predict(ids []int32) ([]float32, error)
}

// Continue returns start with the n characters behind it that p finds most probable.
func (t *Text) Continue(p Predictor, start string, n int) (string, error) {
	ids := t.Encode(start)
	text := []rune(start)
	for range n {
		probabilities, err := p.Predict(ids)
		if err != nil {
			return "", err
		}
		best := 0
		for id, p := range probabilities {
			if p > probabilities[best] {
				best = id
			}
		}
		ids = append(ids, int32(best))
		text = append(text, t.Alphabet[best])
	}
	return string(text), nil
}

// window returns the inputs of a step whose first text ends with ids, and the row of its last one.
func (c Config) window(ids []int32) (inputs []int32, row int, err error) {
	if len(ids) == 0 {
		return nil, 0, errors.New("gpt: there is no character to predict the next of")
	}
	ids = ids[max(0, len(ids)-c.Context):]
	inputs = make([]int32, c.rows())
	row = copy(inputs, ids) - 1
	return inputs, row, c.checkBatch(inputs)
}
