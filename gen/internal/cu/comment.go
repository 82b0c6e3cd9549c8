package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

const directivePrefix = "//cudagen:"

// directiveOf returns the directive that c is.
func directiveOf(c *lex.Comment) (d Directive, ok bool) {
	rest, ok := strings.CutPrefix(c.Text, directivePrefix)
	if !ok {
		return Directive{}, false
	}
	verb, args := rest, ""
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		verb, args = rest[:i], strings.TrimLeft(rest[i:], " \t")
	}
	d = Directive{Pos: c.At.Position(), Verb: strings.TrimSpace(verb), Args: strings.TrimSpace(args), ArgsPos: c.At.Position(), Included: !c.At.File().Main}
	if c.EndLine() == c.At.Line() {
		shift := len(c.Text) - len(args)
		d.ArgsPos.Offset += shift
		d.ArgsPos.Column += shift
	}
	return d, true
}

// A listing has the tokens of a file, and what stands between them: comments, and pragmas that pack classes.
type listing struct {
	all      cursor
	comments []lex.Comment
	packs    []lex.Pack
}

// above returns the comments directly above the token at index i: each on lines of
// its own, and with no empty line between them and the token.
func (l *listing) above(i int) []lex.Comment {
	first := int32(0)
	if i > 0 {
		first = l.all.list[i-1].Comments
	}
	return lex.Above(l.comments[first:l.all.list[i].Comments], l.all.list[i].At)
}

// document returns what comments say, without directives and without empty lines at
// the ends.
func document(comments []lex.Comment) []string {
	var doc []string
	for i := range comments {
		if _, ok := directiveOf(&comments[i]); !ok {
			doc = append(doc, comments[i].Lines()...)
		}
	}
	for len(doc) > 0 && doc[0] == "" {
		doc = doc[1:]
	}
	for len(doc) > 0 && doc[len(doc)-1] == "" {
		doc = doc[:len(doc)-1]
	}
	return doc
}

// claim takes the directives out of comments, for a declaration that they belong to.
func claim(comments []lex.Comment) []Directive {
	var directives []Directive
	for i := range comments {
		if d, ok := directiveOf(&comments[i]); ok {
			comments[i].Claimed = true
			directives = append(directives, d)
		}
	}
	return directives
}

// trailing returns the text of the comment that begins behind the token at index i on
// the same line, "" when there is none.
func (l *listing) trailing(i int) string {
	if i >= len(l.all.list) {
		return ""
	}
	last := &l.all.list[i]
	if int(last.Comments) >= len(l.comments) {
		return ""
	}
	c := &l.comments[last.Comments]
	if c.At.File() != last.At.File() || c.At.Offset < last.At.Offset || c.At.Line() != last.At.Line() {
		return ""
	}
	if _, ok := directiveOf(c); ok {
		return ""
	}
	return strings.TrimSpace(strings.Join(c.Lines(), " "))
}
