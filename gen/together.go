package gen

import (
	"cmp"
	"context"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/output"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A together has the sources of a call as parts of their Go packages, before anything is compiled.
type together struct {
	ctx       context.Context                 // ends reading
	read      map[string]*selection.Selection // by the record's path
	contested map[string]map[string]bool      // names that other sources of the package want, by the record's path
	out       map[string]bool                 // what KeepGoing leaves out, by the record's path

	left  diag.List // of sources that are left out
	notes diag.List // about sources that are generated, too
}

// A member is a source of one element of a list of options.
type member struct {
	options   int
	place     source.Place
	selection *selection.Selection
	bound     *bind.Bound
}

func (m *member) key() string { return source.Absolute(m.place.Record) }

// assemble finds out which Go names several sources of a package want. It returns list with the
// sources of other runs that get other names for that. With KeepGoing it leaves out the sources whose
// names clash.
//
// Sources that have errors of their own are not looked at: reading them again reports these.
func assemble(ctx context.Context, list []Options) ([]Options, *together, error) {
	t := &together{ctx: ctx, read: make(map[string]*selection.Selection), contested: make(map[string]map[string]bool), out: make(map[string]bool)}
	list = slices.Clone(list)
	for {
		members := t.members(list)
		sources := make([]output.SharedSource, len(members))
		for i, m := range members {
			sources[i] = output.SharedSource{Selection: t.read[m.key()], Model: m.bound.Outline.Model, Origins: m.bound.Origins, Plain: m.bound.Plain}
		}
		contest, err := output.Contested(sources, func(g *record.Generated) *output.SharedSource { return t.changed(list[0], g) })
		if err != nil {
			return list, t, err
		}
		grown := t.add(contest, func(i int) string { return members[i].key() })
		more, refused := t.again(list, members, contest)
		if list = append(list, more...); len(more) > 0 {
			clear(t.contested)
			continue
		}
		if grown && len(refused) == 0 {
			continue
		}
		errs, concerned, err := output.Clashes(sources)
		if err != nil {
			return list, t, err
		}
		if len(refused) > 0 {
			errs = append(refused, errs...) // the clash may be no more when both are generated
			for i, names := range contest.Names {
				concerned[i] = concerned[i] || len(names) > 0
			}
		}
		if len(errs) == 0 {
			return list, t, nil
		}
		if slices.ContainsFunc(list, func(o Options) bool { return !o.KeepGoing }) || len(concerned) == len(members) {
			if len(concerned) < len(members) {
				errs = source.Hint(errs, "-keep-going generates the other sources")
			}
			return list, t, errs
		}
		t.left = append(t.left, errs...)
		list = t.without(list, members, concerned)
		clear(t.contested)
	}
}

// members reads the sources of list, and gives them Go names.
func (t *together) members(list []Options) (members []*member) {
	var all []*member
	for i := range list {
		o := &list[i]
		o.Arch = cmp.Or(o.Arch, compile.OfPTX(o.Archs))
		places, err := source.Places(o.Sources, o.Output)
		if err != nil || o.check(len(o.Sources)) != nil {
			continue
		}
		for _, place := range places {
			all = append(all, &member{options: i, place: place})
		}
	}
	var packages bind.Packages
	_ = parallel.Each(all, func(m *member) error { // errors are reported when the sources are read to be compiled
		o := &list[m.options]
		s, known := t.read[m.key()]
		if !known {
			var err error
			if s, err = read.Read(read.Source{Place: m.place}, o.read(t.ctx, false)); err != nil || s == nil {
				return nil
			}
		}
		bound, err := packages.Bind(bind.Source{Selection: s}, bind.Options{
			Package: o.Package, DefaultPackage: o.DefaultPackage, Name: o.Name, Tags: o.Tags, Contested: t.contested[m.key()],
		})
		if err == nil {
			m.selection, m.bound = s, bound
		}
		return nil
	})
	for _, m := range all {
		if m.bound != nil {
			t.read[m.key()] = m.selection
			members = append(members, m)
		}
	}
	return members
}

// changed reads the source of another run's output, which changed since.
func (t *together) changed(like Options, g *record.Generated) *output.SharedSource {
	o, _, err := like.Recorded(g.Path)
	if err != nil {
		return nil
	}
	members := t.members([]Options{o})
	if len(members) == 0 {
		return nil
	}
	m := members[0]
	return &output.SharedSource{Selection: t.read[m.key()], Model: m.bound.Outline.Model, Origins: m.bound.Origins, Plain: m.bound.Plain}
}

// add notes the names that are contested, and reports whether some were not before.
func (t *together) add(c *output.Contest, key func(i int) string) (grown bool) {
	for i, names := range c.Names {
		if len(names) == 0 {
			continue
		}
		known := t.contested[key(i)]
		if known == nil {
			known = make(map[string]bool)
			t.contested[key(i)] = known
		}
		before := len(known)
		maps.Copy(known, names)
		grown = grown || len(known) > before
	}
	return grown
}

// again returns the options of the sources of other runs that contest names: those of their records. It is an error
// if a source cannot be read with them, or was left out already: it would contest its names forever.
func (t *together) again(list []Options, members []*member, c *output.Contest) (more []Options, errs diag.List) {
	if len(members) == 0 {
		return nil, nil
	}
	for _, path := range c.Again {
		o, emitters, err := list[0].Recorded(path)
		names := make([]string, len(o.Emitters))
		for i, e := range o.Emitters {
			names[i] = e.Name
		}
		old, _ := record.Read(path)
		o.Force = false
		o.Folders = nil
		if err == nil && !t.out[source.Absolute(path)] && slices.Equal(names, emitters) &&
			slices.ContainsFunc(old.Kernels, func(k record.Kernel) bool { return k.GoName != "" }) && len(t.members([]Options{o})) > 0 {
			more = append(more, o)
			t.notes.Add(token.Position{Filename: o.Sources[0]}, diag.GoName.New("is generated again, because its Go names depend on those of "+members[0].place.Path))
			continue
		}
		paths := strings.Join(o.Sources, " ")
		for _, m := range members {
			paths += " " + m.place.Path
		}
		errs.Add(token.Position{Filename: members[0].place.Path}, diag.GoName.Errorf("the Go names of %s depend on those in this file: %w", o.Sources[0], diag.Do("generate both in one run, with the flags of both: %s", diag.Call(paths))))
	}
	return more, errs
}

// without returns list without the concerned members, which are left out from now on.
func (t *together) without(list []Options, members []*member, concerned map[int]bool) (rest []Options) {
	gone := make(map[string]bool)
	for i := range concerned {
		gone[members[i].place.Path] = true
		t.out[members[i].key()] = true
	}
	for _, o := range list {
		o.Sources = slices.DeleteFunc(slices.Clone(o.Sources), func(path string) bool { return gone[path] })
		if len(o.Sources) > 0 {
			rest = append(rest, o)
		}
	}
	return rest
}

// rename names again what compilers told of, until no name is contested that was not. Those that only refused sources wanted are free.
func (p *pipeline) rename(refused bool) error {
	for ; !p.unproved && !slices.ContainsFunc(p.units, func(u *unit) bool { return u.bound == nil }); refused = false {
		contest, err := output.Contested(of(p, (*unit).shared), func(g *record.Generated) *output.SharedSource { return p.together.changed(p.parts[0].Options, g) })
		if refused {
			clear(p.together.contested)
		}
		if err != nil || !p.together.add(contest, func(i int) string { return source.Absolute(p.units[i].place.Record) }) && !refused {
			return err
		}
		for _, part := range p.parts {
			if err := part.model(); err != nil {
				return err
			}
		}
	}
	return nil
}
