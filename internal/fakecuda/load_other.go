//go:build !linux || cudagen_nodriver

package fakecuda

import "errors"

var errUnsupported = errors.New("fakecuda: the fake driver needs Linux, and a build without cudagen_nodriver")

func load(string) (handle uintptr, err error) { return 0, errUnsupported }

func find(uintptr, string) (uintptr, error) { return 0, errUnsupported }

func register(any, uintptr) {}
