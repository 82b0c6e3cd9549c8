package buildcache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	partName  = regexp.MustCompile(`^[0-9a-f]{2}$`)
	entryName = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Remove removes the entries and locks of the cache in dir, and the folders that are empty then,
// dir included. Other files stay, because dir may be any folder that the user named. Without such
// a folder it does nothing.
func Remove(dir string) (removed int, err error) {
	parts, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, part := range parts {
		if !part.IsDir() || !partName.MatchString(part.Name()) && part.Name() != "lock" {
			continue
		}
		folder := filepath.Join(dir, part.Name())
		files, err := os.ReadDir(folder)
		if err != nil {
			return removed, err
		}
		for _, file := range files {
			lock := part.Name() == "lock" && partName.MatchString(file.Name())
			if !file.Type().IsRegular() || !lock && (part.Name() == "lock" || !entryName.MatchString(file.Name()) && !strings.HasPrefix(file.Name(), "tmp-")) {
				continue
			}
			if err := os.Remove(filepath.Join(folder, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return removed, err
			}
			if !lock {
				removed++
			}
		}
		os.Remove(folder) // which fails if something stays in it
	}
	os.Remove(dir)
	return removed, nil
}
