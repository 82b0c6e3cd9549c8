package main

import (
	"embed"
	"io"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A handout is files of cudagen's own that it prints for other programs, one for each.
type handout struct {
	what   string // "completion"
	whose  string // how to ask for a name: "name a shell"
	names  []string
	files  embed.FS
	folder string
}

// print prints the file for the program that args names.
func (h *handout) print(args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return diag.Flags.New(h.whose + ": " + strings.Join(h.names, ", "))
	}
	if !slices.Contains(h.names, args[0]) {
		return diag.UnknownWord.Errorf("there is no %s for %s%w", h.what, args[0], nearest(args[0], h.names))
	}
	text, err := h.files.ReadFile(h.folder + "/" + args[0])
	if err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}
