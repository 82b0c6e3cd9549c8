// Package toolchaindir locates the CUDA toolkits of cudagen toolchain install. It installs
// and runs nothing.
//
// Each toolkit has a subfolder named after its version, which appears when the
// installation is complete:
//
//	13.0.88/nvidia/cu13/{bin,include,lib,nvvm}
//
// Names that begin with a dot are unfinished installations, and the lock.
package toolchaindir

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Variable names the environment variable that replaces the folder in the user's cache.
const Variable = "CUDAGEN_TOOLCHAIN_DIR"

// Dir returns the folder of the installed toolkits, absolute, whether or not it is
// there: $CUDAGEN_TOOLCHAIN_DIR, or cudagen/toolchain in the user's cache folder.
//
// env is os.Getenv or, in tests, a replacement. It is an error if the environment names
// no cache folder.
func Dir(env func(string) string) (string, error) {
	if dir := env(Variable); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := userCacheDir(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "cudagen", "toolchain"), nil
}

// userCacheDir is os.UserCacheDir over env.
func userCacheDir(env func(string) string) (string, error) {
	var cache, needs string
	switch runtime.GOOS {
	case "windows":
		cache, needs = env("LocalAppData"), "%LocalAppData% is"
	case "darwin":
		if home := env("HOME"); home != "" {
			cache = filepath.Join(home, "Library", "Caches")
		}
		needs = "$HOME is"
	default:
		cache, needs = env("XDG_CACHE_HOME"), "neither $XDG_CACHE_HOME nor $HOME is"
		if home := env("HOME"); cache == "" && home != "" {
			cache = filepath.Join(home, ".cache")
		}
	}
	if !filepath.IsAbs(cache) {
		return "", errors.New("there is no cache folder: " + needs + " the absolute path of a folder; set it, or " + Variable)
	}
	return cache, nil
}

// Toolkits returns the roots of the toolkits that are installed, each a folder that
// CUDA_HOME may name, the newest version first. None is no error.
func Toolkits(env func(string) string) []string {
	dir, err := Dir(env)
	if err != nil {
		return nil // where there is no folder, nothing is installed
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return slices.Compare(numbers(b.Name()), numbers(a.Name())) })
	var roots []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if root := Root(filepath.Join(dir, entry.Name())); root != "" {
			roots = append(roots, root)
		}
	}
	return roots
}

// Root returns the toolkit's root below the folder into which its wheels were
// installed, nvidia/cu13, or "" when there is none.
func Root(tree string) string {
	nvidia := filepath.Join(tree, "nvidia")
	entries, err := os.ReadDir(nvidia)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		if major, ok := strings.CutPrefix(entry.Name(), "cu"); ok && entry.IsDir() && len(numbers(major)) == 1 {
			return filepath.Join(nvidia, entry.Name())
		}
	}
	return ""
}

// numbers returns the numbers of a version, or nil for other names.
func numbers(version string) []int {
	var list []int
	for field := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}
