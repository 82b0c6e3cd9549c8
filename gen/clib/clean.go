package clib

import (
	"bytes"
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
		comment, line, body, ok := taken(content)
		if !ok {
			continue
		}
		all = append(all, path)
		if line != sumLine(comment, body) {
			edited = append(edited, path)
		}
	}
	return all, edited, nil
}

// taken takes apart what sign put together: the comment, the line with the sum and the code.
func taken(content []byte) (comment, line string, body []byte, ok bool) {
	rest, ok := bytes.CutPrefix(record.Unix(content), []byte(record.Marker))
	head, body, behind := bytes.Cut(rest, []byte("\n\n"))
	at := bytes.LastIndexByte(head, '\n') + 1
	return string(head[:at]), string(head[at:]), body, ok && behind && bytes.HasPrefix(head, []byte("// made of "))
}
