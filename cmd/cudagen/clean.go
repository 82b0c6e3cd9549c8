package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/clib"
	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

const cleanUsage = `cudagen clean removes what cudagen generated.

Usage:

	cudagen clean [-n] [-cache] [folder…]

It removes the Go files, the images, the records and the dependency files that cudagen wrote in
the folders, by default in this one. folder/... means the folders below it, too. Files that were edited
since, and files that other Go files embed, stay and are reported. Sources stay.

Generating them again needs a CUDA compiler.

Flags:

`

// runClean runs the subcommand clean.
func runClean(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	flags, dry, cache := cleanFlags()
	named, err := parseMixed(flags, args, cleanUsage, stdout)
	if err == nil && *cache && len(named) > 0 {
		err = diag.Flags.Errorf("unexpected argument %q: -cache takes no folder", named[0])
	}
	if err != nil {
		return notRun("cudagen clean", err, stderr)
	}
	if *cache {
		err = cleanCache(getenv, *dry, stderr)
	} else {
		err = cleanFolders(named, *dry, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cudagen clean: %s\n", spoken(err))
		return exitInput
	}
	return exitOK
}

// cleanFlags returns the flags of clean.
func cleanFlags() (flags *flag.FlagSet, dry, cache *bool) {
	flags = flag.NewFlagSet("cudagen clean", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dry = flags.Bool("n", false, "print what would be removed, and remove nothing")
	cache = flags.Bool("cache", false, "remove the build cache instead")
	return flags, dry, cache
}

func cleanFolders(named []string, dry bool, stderr io.Writer) error {
	if len(named) == 0 {
		named = []string{"."}
	}
	var folders []string
	for _, name := range named {
		some, err := foldersOf(name)
		if err != nil {
			return err
		}
		folders = append(folders, some...)
	}
	removed, left, err := gen.Clean(folders, dry)
	if err == nil {
		removed, left, err = cleanLibraries(folders, dry, removed, left)
	}
	for _, path := range removed {
		fmt.Fprintln(stderr, "cudagen: removed "+path)
	}
	for _, l := range left {
		if l.Kept != "" {
			fmt.Fprintf(stderr, "cudagen: %s\n", l)
		} else {
			fmt.Fprintln(stderr, "cudagen: would remove "+l.Path)
		}
	}
	if err == nil && len(removed)+len(left) == 0 {
		fmt.Fprintln(stderr, "cudagen: there is nothing to remove")
	}
	return err
}

// cleanLibraries adds the Go packages of C libraries to what was removed, or is left.
func cleanLibraries(folders []string, dry bool, removed []string, left []gen.Leftover) ([]string, []gen.Leftover, error) {
	for _, folder := range folders {
		all, edited, err := clib.Written(folder)
		if err != nil {
			return removed, left, err
		}
		for _, path := range all {
			switch {
			case slices.Contains(edited, path):
				left = append(left, gen.Leftover{Path: path, Reason: "was generated", Kept: "it was edited"})
			case dry:
				left = append(left, gen.Leftover{Path: path, Reason: "was generated"})
			default:
				if err := os.Remove(path); err != nil {
					return removed, left, source.NewError(path, diag.FileAccess.Errorf("cannot be removed: %s", source.Describe(err)))
				}
				removed = append(removed, path)
			}
		}
	}
	return removed, left, nil
}

// foldersOf returns the folders that an argument means: itself, or with /... those below it, too,
// as the go command finds them.
func foldersOf(name string) (folders []string, err error) {
	root, tree := strings.CutSuffix(filepath.ToSlash(name), "...")
	if tree && (root == "" || strings.HasSuffix(root, "/")) {
		root = filepath.Clean(filepath.FromSlash(root))
	} else {
		root, tree = filepath.Clean(name), false
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, source.NewError(root, diag.NoFile.New("there is no such folder"))
	}
	if _, err := os.ReadDir(root); err != nil {
		return nil, source.Unreadable(root, err)
	}
	if !tree {
		return []string{root}, nil
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		base := entry.Name()
		_, noModule := os.Stat(filepath.Join(path, "go.mod"))
		if path != root && (base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || noModule == nil) {
			return fs.SkipDir
		}
		folders = append(folders, path)
		return nil
	})
	return folders, err
}

// cleanCache removes the build cache.
func cleanCache(getenv func(string) string, dry bool, stderr io.Writer) error {
	dir, off, err := buildcache.DefaultDir(getenv)
	switch {
	case err != nil:
		return err
	case off:
		return diag.FlagValue.New("CUDAGEN_CACHE=off: there is no build cache")
	}
	if dry {
		fmt.Fprintln(stderr, "cudagen: would remove the builds in "+dir)
		return nil
	}
	removed, err := buildcache.Remove(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "cudagen: removed %d builds in %s\n", removed, dir)
	return nil
}
