package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/cudagen/cudagen/internal/include"
)

// HashInput returns the SHA-256 of content, in hexadecimal, with the ends of lines
// normalised: a checkout with CRLF is the same input.
func HashInput(content []byte) string {
	return HashImage(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")))
}

// HashImage returns the SHA-256 of content, in hexadecimal, byte for byte.
func HashImage(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

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

// IncludeFolders returns the folders that compiler flags add to the search for
// includes and that are relative, and thus the user's own: -Iinclude, -I include,
// -isystem include. They are relative to the folder that the compiler runs in.
func IncludeFolders(flags []string) []string {
	var folders []string
	for i := 0; i < len(flags); i++ {
		m := includeFlag.FindStringSubmatch(flags[i])
		if m == nil {
			continue
		}
		folder := m[1]
		if folder == "" && i+1 < len(flags) {
			i++
			folder = flags[i]
		}
		if folder != "" && !path.IsAbs(folder) && !filepath.IsAbs(folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// NVIDIA CUDA Compiler Driver NVCC, Command Option Description: --include-path, --system-include.
var includeFlag = regexp.MustCompile(`^(?:-I|-isystem|--include-path|--system-include)=?(.*)$`)

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
