// Package parallel runs steps over a list, some elements at a time or one step behind the other, and joins their errors:
// those of sources (diag.List) stay one list. It knows nothing of the elements and of what the steps do.
package parallel

import (
	"errors"
	"runtime"
	"sync"

	"github.com/cudagen/cudagen/internal/diag"
)

// Each calls step for all of list, a few at a time, and returns all errors: the lists of
// source errors as one list, or, when there are others, everything joined.
func Each[T any](list []T, step func(T) error) error {
	errs := make([]error, len(list))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, one := range list {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = step(one)
		})
	}
	wait.Wait()
	return Join(errs)
}

// Join returns errs as Each does, and one alone as it is.
func Join(errs []error) error {
	var list diag.List
	for _, err := range errs {
		switch one := err.(type) {
		case nil:
		case diag.List:
			list = append(list, one...)
		default:
			if len(errs) == 1 {
				return err
			}
			return errors.Join(errs...)
		}
	}
	return list.Err()
}

// InOrder runs steps one after the other, and returns the error of the first that fails.
func InOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
