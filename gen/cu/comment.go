package cu

import "strings"

// A comment is one comment with its markers.
type comment struct {
	at        place
	end       int32  // offset behind it
	lineStart bool   // nothing stands before it on its line
	text      string // with its markers
	claimed   bool   // its directive belongs to a declaration
}

// endLine returns the line that c ends in.
func (c *comment) endLine() int32 {
	end := c.at
	end.offset = c.end
	return end.line()
}

const directivePrefix = "//cudagen:"

// directive returns the directive that c is.
func (c *comment) directive() (d Directive, ok bool) {
	rest, ok := strings.CutPrefix(c.text, directivePrefix)
	if !ok {
		return Directive{}, false
	}
	verb, args := rest, ""
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		verb, args = rest[:i], strings.TrimLeft(rest[i:], " \t")
	}
	d = Directive{Pos: c.at.position(), Verb: strings.TrimSpace(verb), Args: strings.TrimSpace(args), ArgsPos: c.at.position()}
	if c.endLine() == c.at.line() {
		shift := len(c.text) - len(args)
		d.ArgsPos.Offset += shift
		d.ArgsPos.Column += shift
	}
	return d, true
}

// lines returns the text of c without markers.
func (c *comment) lines() []string {
	text := strings.ToValidUTF8(c.text, "\uFFFD")
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		return []string{strings.TrimRight(strings.TrimPrefix(rest, " "), " \t\r")}
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	lines := strings.Split(strings.TrimPrefix(text, "*"), "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if i > 0 {
			line = strings.TrimPrefix(strings.TrimPrefix(line, "*"), " ")
		}
		lines[i] = line
	}
	return lines
}

// above returns the comments directly above the lexeme at index i: each on lines of
// its own, and with no empty line between them and the lexeme.
func (p *parser) above(i int) []comment {
	l := &p.list[i]
	end := l.comments
	begin := end
	line := l.at.line()
	first := int32(0)
	if i > 0 {
		first = p.list[i-1].comments
	}
	for begin > first && p.comments[begin-1].lineStart && p.comments[begin-1].at.file() == l.at.file() && p.comments[begin-1].endLine() == line-1 {
		begin--
		line = p.comments[begin].at.line()
	}
	return p.comments[begin:end]
}

// document returns what comments say, without directives and without empty lines at
// the ends.
func document(comments []comment) []string {
	var doc []string
	for i := range comments {
		if _, ok := comments[i].directive(); !ok {
			doc = append(doc, comments[i].lines()...)
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
func claim(comments []comment) []Directive {
	var directives []Directive
	for i := range comments {
		if d, ok := comments[i].directive(); ok {
			comments[i].claimed = true
			directives = append(directives, d)
		}
	}
	return directives
}

// trailing returns the text of the comment that begins behind the lexeme at index i on
// the same line, "" when there is none.
func (p *parser) trailing(i int) string {
	if i >= len(p.list) {
		return ""
	}
	l := &p.list[i]
	if int(l.comments) >= len(p.comments) {
		return ""
	}
	c := &p.comments[l.comments]
	if c.at.file() != l.at.file() || c.at.offset < l.at.offset || c.at.line() != l.at.line() {
		return ""
	}
	if _, ok := c.directive(); ok {
		return ""
	}
	return strings.TrimSpace(strings.Join(c.lines(), " "))
}
