package wheels

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxUnpacked bounds the size of a wheel's files together, in bytes.
const maxUnpacked = 2 << 30

// Unpack writes the files of a wheel into the folder dir, which must exist. Files that are there are not
// replaced: that is an error. A name that leaves dir, a link, and a file that is larger than the archive
// says, are errors, too.
func Unpack(ctx context.Context, wheel, dir string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	defer archive.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var total uint64
	for _, f := range archive.File {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		total += f.UncompressedSize64
		if f.UncompressedSize64 > maxUnpacked || total > maxUnpacked {
			return fmt.Errorf("%s: its files have more than %d bytes", filepath.Base(wheel), int64(maxUnpacked))
		}
		if err := unpackFile(f, root); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(wheel), err)
		}
	}
	return nil
}

// unpackFile writes one file of an archive below root.
func unpackFile(f *zip.File, root *os.Root) (err error) {
	folder := strings.HasSuffix(f.Name, "/")
	name := strings.TrimSuffix(f.Name, "/")
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is not the name of a file of a wheel", f.Name)
	}
	if scheme, _, _ := strings.Cut(name, "/"); strings.HasSuffix(scheme, ".data") {
		return fmt.Errorf("%s: a wheel with files for other folders of Python is not supported", name)
	}
	if folder {
		return root.MkdirAll(name, 0o755)
	}
	if !f.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Mode()&0o111 != 0 {
		mode = 0o755
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	from, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer from.Close()
	n, err := io.Copy(to, io.LimitReader(from, int64(f.UncompressedSize64)))
	if err == nil && uint64(n) < f.UncompressedSize64 {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		n, end := from.Read(make([]byte, 1)) // the end checks the sum
		switch {
		case n > 0:
			err = zip.ErrFormat
		case end != io.EOF:
			err = end
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
