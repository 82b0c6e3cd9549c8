package ended_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/ended"
)

func TestCause(t *testing.T) {
	t.Parallel()
	stopped := errors.New("the operator has stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	err := ended.Cause(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, stopped)
	assert.EqualError(t, err, "context canceled: the operator has stopped it")

	plain, end := context.WithCancel(t.Context())
	end()
	assert.Equal(t, context.Canceled, ended.Cause(plain), "said once")
}
