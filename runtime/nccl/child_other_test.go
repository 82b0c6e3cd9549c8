//go:build !unix

package nccl_test

import "errors"

func runChild(string) error { return errors.New("there are no children on this system") }
