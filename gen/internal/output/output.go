// Package output takes the models of sources, writes files, and knows nothing of the sources: it makes
// one Go package of what several .cu files give, runs emitters, and writes all files or none. It
// recognizes files that cudagen did not write. To check, it compares the files with those on the disk
// instead, and finds those whose source is gone.
//
// Package source names the files. Start with Join, RunEmitters and Write.
package output

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A Product is what was generated for one source.
type Product struct {
	Place  source.Place
	Images []image.File
	Go     []byte // nil when it is not known yet what is to be written
	Record *record.Record
	More   []source.File // that emitters wrote, which are in the record

	Inputs []string // paths of more files that they were made of
	Archs  []string // targets of the images

	Reasons []string // why the images are stale

	Force bool // overwrite an existing fatbin, also one that cudagen did not write
	Deps  bool // also write a dependency file
}

// Common is what is generated for several sources.
type Common struct {
	Files    map[string][]byte // Go files by path
	Obsolete []string          // paths of Go files that no source needs any more
	Replaced []string          // paths of records whose output products have at another place
	Folders  []string          // more folders than those of products, where output may be left over
	Clean    bool              // all output in Folders is left over
}

// Changes are what Write did or, when it only checks, found.
type Changes struct {
	Written []string   // paths of the files whose content changed
	Removed []string   // paths of the files that were left over
	Diff    string     // unified: from the files that are there to those of products
	Left    []Leftover // sorted by path: with check all, otherwise those that stay
	Stale   []Stale    // with check: images and records of emitters that are not those of the last run

	Redeclared diag.List // warnings about names that other Go files of the package declare, too
}

// A file is one to be written.
type file struct {
	path    string
	content []byte
	ours    func(content []byte) bool // whether what lies there was written by cudagen

	template bool   // an emitter wrote it
	target   string // what is written: path, or what a symbolic link there leads to
}

// Write writes the files of products, and those that they have in common, whose content changed:
// all of them, or none. Then it removes what is left over from earlier runs. It overwrites and
// removes nothing that cudagen did not write. With check it does neither, and compares what is
// there.
func Write(products []Product, common Common, check bool) (changes *Changes, err error) {
	changes = new(Changes)
	for i := range products {
		if err := products[i].another(); err != nil {
			return nil, err
		}
	}
	files := filesOf(products, common)
	if changes.Left, err = left(products, common); err != nil {
		return nil, err
	}
	if check {
		for i := range products {
			for _, reason := range products[i].Reasons {
				changes.Stale = append(changes.Stale, Stale{products[i].Place.PTX, reason})
			}
		}
		for i := range products {
			changes.Stale = append(changes.Stale, products[i].staleEmitters()...)
		}
		changes.Diff, err = difference(files)
		return changes, err
	}
	defer leftover.Whole()()
	if changes.Written, err = write(files); err == nil {
		changes.Removed, err = remove(changes.Left)
		changes.Redeclared = redeclared(changes.Written)
		changes.Left = slices.DeleteFunc(changes.Left, func(l Leftover) bool { return l.Kept == "" })
	}
	return changes, err
}

// staleEmitters tells how the emitters of the last run differ from those of p.
func (p *Product) staleEmitters() (stale []Stale) {
	committed, err := record.Read(p.Place.Record)
	if err != nil || p.Go == nil {
		return nil
	}
	for _, reason := range committed.StaleEmitters(p.Record.Emitters) {
		stale = append(stale, Stale{p.Place.Record, reason})
	}
	return stale
}

// another returns an error if the output of p would overwrite that of another source.
func (p *Product) another() error {
	r, err := record.Read(p.Place.Record)
	if err != nil {
		return nil // write tells whose it is
	}
	other := p.Place.Resolve(r.Source)
	theirs, err := os.Stat(other)
	if err != nil {
		return nil
	}
	if ours, err := os.Stat(p.Place.Path); err != nil || os.SameFile(ours, theirs) {
		return nil
	}
	return source.NewError(p.Place.Record, diag.ForeignFile.Errorf("belongs to %s, and so do the images beside it: %w", other, diag.Do("give %s another output with -o, or delete this file if %s needs none", p.Place.Path, other)))
}

// filesOf returns the files of products, and those that they have in common.
func filesOf(products []Product, common Common) []file {
	var files []file
	for i := range products {
		p := &products[i]
		if p.Go == nil {
			continue
		}
		own := p.files()
		files = append(files, own...)
		if p.Deps {
			files = append(files, p.dependencies(own))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(common.Files)) {
		files = append(files, file{path: path, content: common.Files[path], ours: generated})
	}
	return files
}

func (p *Product) files() []file {
	var files []file
	for _, i := range p.Images {
		ours := generated
		if i.Path == p.Place.Fatbin {
			ours = p.oursFatbin
		}
		files = append(files, file{path: i.Path, content: i.Content, ours: ours})
	}
	for _, f := range p.More {
		files = append(files, file{path: f.Path, content: f.Content, ours: p.oursMore(f.Path), template: true})
	}
	return append(files, file{path: p.Place.Go, content: record.SignCode(p.Go), ours: generated}, file{path: p.Place.Record, content: p.Record.Encode(), ours: isRecord})
}

// oursMore tells whether cudagen wrote what is at path, where an emitter writes.
func (p *Product) oursMore(path string) func(content []byte) bool {
	return func(content []byte) bool {
		r, err := record.Read(p.Place.Record)
		if err != nil {
			r = nil // then only its content tells
		}
		return r.Wrote(filepath.Base(path), content)
	}
}

// oursFatbin reports whether cudagen wrote a fatbin. Machine code holds no line that says so:
// what the record beside it has is ours and, with Force, any fatbin of that name.
func (p *Product) oursFatbin(content []byte) bool {
	r, err := record.Read(p.Place.Record)
	return p.Force && image.IsFatbin(content) ||
		err == nil && slices.ContainsFunc(r.Images, func(i record.Image) bool { return i.SHA256 == record.HashImage(content) })
}

func generated(content []byte) bool { return bytes.HasPrefix(content, []byte(record.Marker)) }

// isRecord reports whether a file of a record's name is one, or a damaged one, of which nothing may be left.
func isRecord(content []byte) bool {
	_, err := record.Decode("", content)
	return err == nil || bytes.Contains(content, []byte(`"format"`)) || len(bytes.Trim(content, "{}[] \n\x00")) == 0 || string(content) == "null\n"
}
