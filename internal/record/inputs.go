package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/cudagen/cudagen/internal/fresh"
	"github.com/cudagen/cudagen/internal/include"
)

// HashInput returns the SHA-256 of content, in hexadecimal, with the ends of lines
// normalised: a checkout with CRLF is the same input.
func HashInput(content []byte) string { return fresh.HashInput(content) }

// HashImage returns the SHA-256 of content, in hexadecimal, byte for byte.
func HashImage(content []byte) string { return fresh.HashImage(content) }

// Inputs returns the source file and the files that it includes from the user's
// folders, directly or through others, sorted by path, each once. Paths are
// relative to the folder base, where the record lies.
//
// A file named by #include "…" or <…> is looked for beside the file that includes
// it and in folders, which are paths for read like source. Each one found counts,
// wherever the compiler would have stopped, and conditions are not evaluated: too
// much may be stale, never too little. What is not found is a header of the toolkit
// or the system, and no input. Includes that are named by a macro or by an absolute
// path are not seen.
//
// read returns the content of a file, as os.ReadFile does. An error of read, other
// than that an included file is not there, is returned with its path.
func Inputs(source, base string, read func(string) ([]byte, error), folders ...string) ([]Input, error) {
	folder, main := filepath.Dir(source), filepath.Base(source)
	found := map[string]string{} // path → hash, or "" for a file that is not there
	for pending := []string{main}; len(pending) > 0; {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if _, seen := found[name]; seen {
			continue
		}
		content, err := read(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			if name == main || !absent(err) {
				return nil, fmt.Errorf("inputs of %s: %w", source, err)
			}
			found[name] = ""
			continue
		}
		found[name] = HashInput(content)
		for _, d := range include.Directives(content) {
			included := d.Name
			if included == "" || path.IsAbs(included) || filepath.IsAbs(included) {
				continue
			}
			pending = append(pending, path.Join(path.Dir(name), included))
			for _, other := range folders {
				relative, err := filepath.Rel(folder, other)
				if err != nil {
					return nil, fmt.Errorf("inputs of %s: folder %s: %w", source, other, err)
				}
				pending = append(pending, path.Join(filepath.ToSlash(relative), included))
			}
		}
	}
	var inputs []Input
	for name, hash := range found {
		if hash == "" {
			continue
		}
		relative, err := filepath.Rel(base, filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("inputs of %s: %w", source, err)
		}
		inputs = append(inputs, Input{Path: filepath.ToSlash(relative), SHA256: hash})
	}
	slices.SortFunc(inputs, func(a, b Input) int { return strings.Compare(a.Path, b.Path) })
	return inputs, nil
}

// absent reports whether an error of reading a file means that it does not exist. A
// folder of that name, or a file in place of a folder, counts as absent.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) ||
		runtime.GOOS == "windows" && errors.Is(err, errInvalidFunction)
}

// errInvalidFunction is what reading a folder fails with on Windows.
//
// Windows, System Error Codes: ERROR_INVALID_FUNCTION.
const errInvalidFunction = syscall.Errno(1)
