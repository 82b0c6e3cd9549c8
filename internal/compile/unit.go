package compile

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A unit is a source file with the name that the compiler gets: relative to the folder
// that it runs in, so that __FILE__ is the same on every machine.
type unit struct {
	request Request
	target  target
	dir     string   // absolute; the compiler runs here
	dirs    []string // spellings of dir, with slashes
	name    string   // what the compiler is given
}

// prepare resolves the paths and the target of req. The Output has the name and version
// of c.
func prepare(ctx context.Context, c Compiler, req Request) (*unit, *Output, error) {
	target, err := parseTarget(req.Arch)
	if err != nil {
		return nil, nil, err
	}
	unit, err := locate(req)
	if err != nil {
		return nil, nil, err
	}
	unit.target = target
	version, err := c.Version(ctx)
	if err != nil {
		return nil, nil, err
	}
	return unit, &Output{Arch: req.Arch, Compiler: c.Name() + " " + version}, nil
}

func locate(req Request) (*unit, error) {
	source, err := filepath.Abs(req.Source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.Source, err)
	}
	info, err := os.Stat(req.Source)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, diag.NoFile.Errorf("%s: not a file", req.Source)
	}
	dir, err := filepath.Abs(cmp.Or(req.Dir, filepath.Dir(source)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.Dir, err)
	}
	u := &unit{request: req, dir: dir, name: source}
	for _, spelling := range spellings(dir) {
		u.dirs = append(u.dirs, filepath.ToSlash(spelling))
	}
	for _, folder := range spellings(filepath.Dir(source)) {
		for _, spelling := range spellings(dir) {
			name, err := filepath.Rel(spelling, filepath.Join(folder, filepath.Base(source)))
			if err != nil || !filepath.IsLocal(name) {
				continue
			}
			u.name = name
			if strings.HasPrefix(name, "-") {
				u.name = "." + string(filepath.Separator) + name
			}
			return u, nil
		}
	}
	return u, nil
}

// write returns the arguments that name what is compiled: the source, or, when something
// is compiled behind it, a file in temp that includes it.
//
// The source is included from the command line, because that finds it by the same name,
// relative to dir, by which it is compiled otherwise: __FILE__ and the folders of its own
// includes stay what they are.
func (u *unit) write(temp string) ([]string, error) {
	if u.request.Suffix == "" {
		return []string{u.name}, nil
	}
	path := filepath.Join(temp, filepath.Base(u.name)) // compilers put the name into symbols
	if err := os.WriteFile(path, []byte(u.request.Suffix), 0o600); err != nil {
		return nil, fmt.Errorf("compiling %s: %w", u.request.Source, err)
	}
	return []string{"-include", u.name, path}, nil
}

// neutralName returns the unit's name in records: relative to its folder, or the
// base name when it lies elsewhere.
func (u *unit) neutralName() string {
	if filepath.IsAbs(u.name) {
		return filepath.Base(u.name)
	}
	return filepath.ToSlash(filepath.Clean(u.name))
}

// neutralText makes the paths in a command line argument that lie in the unit's
// folder relative to it.
func (u *unit) neutralText(text string) string {
	text = filepath.ToSlash(text)
	for _, dir := range u.dirs {
		text = strings.ReplaceAll(text, strings.TrimSuffix(dir, "/")+"/", "")
	}
	return text
}

// position turns a file name in a message of the compiler into the user's: Source
// as it was given, others relative to the working folder when Source is.
func (u *unit) position(name string) string {
	if name == u.name {
		return u.request.Source
	}
	full := filepath.Clean(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(u.dir, full)
	}
	if filepath.IsAbs(u.request.Source) || filepath.IsAbs(name) {
		return full
	}
	working, err := os.Getwd()
	if err != nil {
		return full
	}
	relative, err := filepath.Rel(working, full)
	if err != nil {
		return full
	}
	return relative
}

// spellings returns path and, when it differs, path with symbolic links resolved.
func spellings(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}
