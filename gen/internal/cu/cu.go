package cu

import (
	"cmp"
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// ParseFile reads the CUDA C++ source src as the zero Config says: it opens no file.
func ParseFile(filename string, src []byte) (*File, error) {
	return new(Config).ParseFile(filename, src)
}

// ParseFile reads the CUDA C++ source src and the headers that it includes. Its
// positions carry filename, and the paths of headers as c.Read gets them.
//
// A header that is not found is not an error. File.Missing lists such headers, and errors about
// types that may be from one name them.
//
// The error is nil, the cause why c.Context is done, or a diag.List of what is wrong with the file as
// a whole, sorted and without duplicates. The File is never nil: it holds what was understood
// in spite of errors. What is not understood of a single kernel is in its Errors.
//
// It takes time and memory in proportion to the length of what it reads. It may be
// called by several goroutines if c.Read and c.SizeOf may.
func (c *Config) ParseFile(filename string, src []byte) (file *File, err error) {
	const longest = 32 << 20 // a token takes a hundred bytes and more
	refuse := func(at token.Position, m diag.Message) (*File, error) {
		return &File{Name: filename}, diag.List{{Pos: at, Message: m}}
	}
	if len(src) > longest {
		return refuse(token.Position{Filename: filename, Line: 1, Column: 1}, diag.NotUnderstood.Errorf("file is longer than 32 MiB: %w", diag.Do("move its kernels to one without the data")))
	}
	if _, ok := lex.VersionOf(cmp.Or(c.Std, lex.DefaultStd)); !ok {
		return refuse(token.Position{Filename: "<command line>"}, diag.FlagValue.Errorf("-std %s is not known here: %w", c.Std, diag.Do("give c++11, c++14, c++17 or c++20")))
	}
	for _, define := range c.Define {
		if !macroName.MatchString(define) {
			return refuse(token.Position{Filename: "<command line>"}, diag.FlagValue.Errorf("-D %s does not begin with the name of a macro: %w", define, diag.Do("give -D NAME or -D NAME=value")))
		}
	}
	defer func() {
		if r := recover(); r != nil {
			stopped, ok := r.(*lex.Stopped)
			if !ok {
				panic(r)
			}
			file, err = &File{Name: filename}, stopped.Err
		}
	}()
	pre := lex.Preprocess(c.lexical(), filename, string(src))
	p := newParser(c, filename, pre)
	p.parse()
	p.file.Warnings = append(p.file.Warnings, pre.Warnings...).Sorted()
	p.file.steps = pre.Steps + p.work.steps
	return p.file, p.errors.Sorted().Err()
}

// parse reads the whole file.
func (p *parser) parse() {
	c := p.all
	for c.more() {
		p.declarations(&c, nil)
		c.i++ // a } that closes nothing
	}
	finder := &launchFinder{p.launches, p}
	finder.find()
	p.mergeVariables()
	p.renamedFunctions()
	p.macroConstants()
	p.describedMacros()
	p.completeDescribed()
	if p.config.Instances != nil {
		p.file.Notes = nil // an image knows what is launched
		p.kernels.compiled(p.unit)
	}
	p.file.Kernels = p.kernels.list(p.unit)
	p.file.Notes = p.file.Notes.Sorted()
	for _, k := range p.file.Kernels {
		p.file.Warnings = append(p.file.Warnings, k.Warnings...)
	}
	if len(p.file.Kernels) == 0 {
		p.file.Almost = p.almost()
	}
	p.warnLeftOut()
	for i := range p.comments {
		if d, ok := directiveOf(&p.comments[i]); ok && !p.comments[i].Claimed && p.comments[i].At.File().Main {
			next, above := p.isAbove(i)
			d.Above = d.Verb == "data" && above
			if above {
				p.file.Below[d.Pos.Offset] = p.codeBelow(next)
			}
			p.file.Directives = append(p.file.Directives, d)
		}
	}
}

// macroConstants adds the macros that are constant expressions to the constants. Names
// in them mean what they mean at the end of the file.
func (p *parser) macroConstants() {
	const most = 4096 // tokens of one: no person wrote a constant of that size
	total := 1<<16 + 8*p.pre.Bytes
	for _, m := range p.pre.Constants(p.config.Functions != nil) {
		name := m.Name
		if _, taken := p.file.Constants[name]; taken || total <= 0 {
			continue
		}
		list, spent, ok := p.pre.Alone(m, min(most, total))
		total -= spent
		if !ok {
			continue
		}
		if v, failure := p.evaluate(newCursor(newTokens(list), p.all.end)); failure == nil {
			if n, ok := v.int64(); ok {
				p.file.Constants[name] = n
				p.noteLoose(name, list)
				if p.pre.Undone[name] {
					p.file.Redefined[name] = m.At.Position()
				}
			}
		}
	}
}

// warnLeftOut reports the kernels of the main file that an unsettled condition leaves
// out.
func (u *unit) warnLeftOut() {
	for i := range u.conditions {
		c := &u.conditions[i]
		if c.Kernels == 0 || len(c.Names) == 0 || !c.At.At.File().Main {
			continue
		}
		u.file.Warnings.Add(c.At.Pos(), diag.Macro.Errorf("kernels are left out (%d, the first in line %d), and %s is not defined: %w", c.Kernels, c.Kernel.Line(), strings.Join(c.Names, " or "), diag.Do("define it with -D if they are meant")))
	}
}

// AnotherBranch is the remedy of a #error line that is reached.
var AnotherBranch = lex.AnotherBranch
