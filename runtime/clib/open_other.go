//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package clib

const loadable = false

func load(string) (uintptr, error) { panic("clib: no library can be opened") }

func symbol(uintptr, string) uintptr { panic("clib: no library can be opened") }
