//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package clib

import "github.com/cudagen/cudagen/internal/dynlib"

// loadable says that this binary can open libraries.
const loadable = true

func load(path string) (uintptr, error) { return dynlib.Load(path) }

func symbol(handle uintptr, name string) uintptr { return dynlib.Symbol(handle, name) }
