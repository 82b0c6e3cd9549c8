package clib

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Find returns the headers that args mean, sorted and each once: files, folders, for the headers in them with a directive library,
// and dir/... for the folders below, too.
func Find(args []string) (headers []string, err error) {
	for _, arg := range args {
		folder, below := strings.CutSuffix(filepath.ToSlash(arg), "/...")
		if arg == "..." {
			folder, below = ".", true
		}
		info, err := os.Stat(folder)
		switch {
		case err != nil:
			return nil, source.Unreadable(arg, err)
		case !info.IsDir():
			headers = append(headers, arg)
			continue
		}
		found, err := inFolder(folder, below)
		if err != nil {
			return nil, source.Unreadable(arg, err)
		}
		if len(found) == 0 {
			return nil, source.NewError(arg, diag.NoFile.Errorf("has no header with //cudagen:library: %w", diag.Do("name the header")))
		}
		headers = append(headers, found...)
	}
	slices.Sort(headers)
	return slices.Compact(headers), nil
}

// inFolder returns the headers in folder with a directive library, and those below it if that is asked for.
func inFolder(folder string, below bool) (headers []string, err error) {
	err = filepath.WalkDir(filepath.FromSlash(folder), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if path != filepath.FromSlash(folder) && (!below || record.Ignored(entry.Name())) {
				return fs.SkipDir
			}
			return nil
		case !slices.Contains([]string{".h", ".hpp", ".hh", ".cuh"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && describes(text) {
			headers = append(headers, path)
		}
		return err
	})
	return headers, err
}

// describes reports whether text has a directive library at the beginning of a line.
func describes(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//cudagen:library ")) {
			return true
		}
	}
	return false
}
