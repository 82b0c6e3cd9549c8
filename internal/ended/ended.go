// Package ended says why a context is done: as an error that has what the context says and what it was cancelled with.
// It knows contexts alone.
package ended

import (
	"context"
	"fmt"
)

// Cause returns an error that wraps the error of ctx, which is done, and its cause: callers ask for
// context.Canceled as well as for what they have cancelled with.
func Cause(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == cause {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
