package gen

import (
	"errors"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/share"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/internal/parallel"
)

// join makes one Go package of the sources in each folder and of those that other runs
// generated there, and prints the Go files.
func (p *pipeline) join() error {
	var errs scanner.ErrorList
	folders := make(map[string][]*unit)
	for _, u := range p.units {
		folders[u.place.Folder()] = append(folders[u.place.Folder()], u)
	}
	for _, u := range p.units {
		units := folders[u.place.Folder()]
		if u != units[0] {
			continue
		}
		err := p.joinPackage(units)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			errs = append(errs, list...)
		} else if err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return parallel.Each(p.units, func(u *unit) (err error) { u.code, err = emit.File(u.joined); return err })
}

// joinPackage joins units, whose output is in one folder.
func (p *pipeline) joinPackage(units []*unit) error {
	folder := filepath.Dir(units[0].place.Go)
	pkg := share.Package{Folder: folder, Shared: output.ReadGo(filepath.Join(folder, share.FileName))}
	for _, u := range units {
		pkg.Sources = append(pkg.Sources, share.Source{Selection: u.sel, Model: u.bound.Model, Origins: u.bound.Origins})
	}
	beside, err := output.Beside(folder)
	if err != nil {
		return err
	}
	for _, g := range beside {
		ours := func(u *unit) bool { return filepath.Clean(u.place.Record) == filepath.Clean(g.Path) }
		if g.Gone() || slices.ContainsFunc(units, ours) {
			continue
		}
		for _, path := range g.Go {
			if code := output.ReadGo(path); code != nil {
				pkg.Others = append(pkg.Others, share.Other{Path: g.Source, Go: path, Code: code, Record: g.Record})
			}
		}
	}
	joined, err := share.Join(pkg)
	if err != nil {
		return err
	}
	for i, u := range units {
		u.joined = joined.Models[i]
	}
	for _, f := range joined.Files {
		p.shared = append(p.shared, output.GoFile(f.Path, f.Content))
	}
	if joined.Obsolete != "" {
		p.left = append(p.left, output.Leftover{Path: joined.Obsolete, Reason: "declares types for several .cu files, and they share none"})
	}
	return nil
}

// findLeft finds what earlier runs left over.
func (p *pipeline) findLeft() error {
	var places []source.Place
	var images []string
	for _, u := range p.units {
		places = append(places, u.place)
		for _, image := range u.built.Images {
			images = append(images, image.Path)
		}
	}
	left, err := output.Left(places, images)
	p.left = append(p.left, left...)
	return err
}

// keptWarnings returns what is said of files that are left over and stay.
func keptWarnings(left []output.Leftover) (list scanner.ErrorList) {
	for _, l := range left {
		if l.Kept != "" {
			list.Add(token.Position{Filename: l.Path}, l.Reason+", and is not removed, because "+l.Kept+": delete it if you do not need it")
		}
	}
	return list
}
