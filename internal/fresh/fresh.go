// Package fresh tells whether generated code was made of the sources that lie beside it. It reads what
// the generator and the runtime both need of a record (kernels.cudagen.json): paths and hashes.
//
// It runs no compiler, and compares no options: cudagen -check does. Start with Read.
package fresh

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// RecordEnd is the end of the name of a record.
const RecordEnd = ".cudagen.json"

// Format is the version of the format that records have.
const Format = 1

// An Input is a file that output was made from.
type Input struct {
	Path   string `json:"path"`   // relative to the record, with slashes
	SHA256 string `json:"sha256"` // see HashInput
}

// A Record is the part of a committed record that this package reads.
type Record struct {
	Format int     `json:"format"`
	Source string  `json:"source"`
	Inputs []Input `json:"inputs"`
	Images []Image `json:"images"`

	path string
}

// An Image is a compiled file.
type Image struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"` // see HashImage
}

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

// Read reads the record at path. Without such a file the error holds fs.ErrNotExist.
func Read(path string) (*Record, error) {
	text, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Record{path: path}
	switch err := json.Unmarshal(text, r); {
	case r.Format > Format:
		return nil, fmt.Errorf("%s: the record has format %d, and this version of cudagen reads up to %d: update it", path, r.Format, Format)
	case err != nil:
		return nil, fmt.Errorf("%s: damaged record: %w: generate it again", path, err)
	}
	for _, i := range r.Inputs {
		if !Local(i.Path) {
			return nil, fmt.Errorf("%s: damaged record: input %q is not a relative path: generate it again", path, i.Path)
		}
	}
	return r, nil
}

// Changed returns the inputs that are not what the output was made of, as the record calls them, and
// what is wrong with each: "kernels.cu changed". A file that is not there is among them if it belongs to
// the module that the record lies in, and that module is not a copy of another's: those of a program
// that was deployed, of headers elsewhere and of a vendored package need not be there.
func (r *Record) Changed() (changes []string) {
	folder := filepath.Dir(r.path)
	root := own(folder)
	for _, i := range r.Inputs {
		path := filepath.Join(folder, filepath.FromSlash(i.Path))
		switch content, err := ReadFile(path); {
		case err == nil && HashInput(content) != i.SHA256:
			changes = append(changes, i.Path+" changed")
		case err == nil:
		case !errors.Is(err, fs.ErrNotExist):
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err
			}
			changes = append(changes, i.Path+" cannot be read: "+err.Error())
		case root != "" && inside(root, path):
			changes = append(changes, i.Path+" is missing")
		}
	}
	return changes
}

// Has reports whether the output has an image of that name with that hash.
func (r *Record) Has(name, hash string) bool {
	return slices.ContainsFunc(r.Images, func(i Image) bool { return i.File == name && i.SHA256 == hash })
}

// own returns the folder of the go.mod above folder, absolute. It is "" without one, in a folder of
// vendor, and in the module cache, where the name of a module's folder has its version.
//
// Go Modules Reference, Vendoring and Module cache.
func own(folder string) string {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		base := filepath.Base(dir)
		if base == "vendor" || strings.Contains(base, "@v") {
			return ""
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func inside(root, path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(relative)
}

// Local reports whether name, with slashes, is relative and clean on this system. It may lead out of
// the folder that it is relative to, to a header beside it.
func Local(name string) bool {
	for rest, ok := strings.CutPrefix(name, "../"); ok; rest, ok = strings.CutPrefix(name, "../") {
		name = rest
	}
	return name != "." && fs.ValidPath(name) && !strings.ContainsRune(name, 0) && filepath.IsLocal(filepath.FromSlash(name))
}

// errNotRegular is the error of reading a folder, or what reading might wait for: a pipe or a device.
var errNotRegular = errors.New("is not a file")

// ReadFile reads a regular file, or what a symbolic link to one leads to.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if at := new(fs.PathError); errors.As(err, &at) {
		at.Op = "open"
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	return os.ReadFile(path)
}
