package parallel

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInOrder(t *testing.T) {
	var ran []int
	step := func(n int, err error) func() error {
		return func() error { ran = append(ran, n); return err }
	}
	fault := errors.New("fault")
	assert.NoError(t, InOrder(step(1, nil), step(2, nil)))
	assert.Equal(t, fault, InOrder(step(3, nil), step(4, fault), step(5, nil)))
	assert.Equal(t, []int{1, 2, 3, 4}, ran)
}
