package clib

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Written returns the Go files in folder that Generate wrote, and of these the ones that were edited since.
func Written(folder string) (all, edited []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, source.Unreadable(folder, err)
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if entry.IsDir() || !strings.HasSuffix(path, goSuffix) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, source.Unreadable(path, err)
		}
		comment, _, changed, ok := record.Sum(content)
		if !ok || !strings.HasPrefix(comment, madeOfPrefix) {
			continue
		}
		all = append(all, path)
		if changed {
			edited = append(edited, path)
		}
	}
	return all, edited, nil
}
