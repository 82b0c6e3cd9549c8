//go:build !unix

package buildcache

import "io/fs"

const openFlags = 0

// trustOwner trusts: the user's cache folder is closed to others by its access list.
func trustOwner(fs.FileInfo) error { return nil }
