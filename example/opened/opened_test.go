package opened_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example/opened"
)

// A door says when it is closed.
type door struct {
	name   string
	closed *[]string
}

func (d *door) Close() error {
	*d.closed = append(*d.closed, d.name)
	return nil
}

var errStuck = errors.New("stuck")

func TestList(t *testing.T) {
	var closed []string
	open := func(name string) (*door, error) { return &door{name, &closed}, nil }
	var l opened.List
	var a, b *door
	require.NoError(t, l.Make(
		func() error { return opened.Keep(&l, &a)(open("a")) },
		func() error { return opened.Keep(&l, &b)(open("b")) },
	))
	assert.Equal(t, "a", a.name)
	l.Close()
	l.Close()
	assert.Equal(t, []string{"b", "a"}, closed)

	closed = nil
	assert.Equal(t, errStuck, l.Make(
		func() error { return opened.Keep(&l, &a)(open("c")) },
		func() error { return opened.Keep(&l, &b)(nil, errStuck) },
		func() error { panic("no step is taken behind one that fails") },
	))
	assert.Equal(t, []string{"c"}, closed)
	assert.Equal(t, "b", b.name, "what was not made is not kept")
}
