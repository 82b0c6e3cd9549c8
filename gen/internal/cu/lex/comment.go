package lex

import (
	"slices"
	"strings"
)

// A Comment is one comment with its markers.
type Comment struct {
	At        Place
	end       int32  // offset behind it
	LineStart bool   // nothing stands before it on its line
	Text      string // with its markers
	Claimed   bool   // its directive belongs to a declaration
}

// EndLine returns the line that c ends in.
func (c *Comment) EndLine() int32 {
	end := c.At
	end.Offset = c.end
	return end.Line()
}

// Lines returns the text of c without markers.
func (c *Comment) Lines() []string {
	text := strings.ToValidUTF8(c.Text, "\uFFFD")
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

// Above returns those at the end of comments that stand directly above a place: each on lines of
// its own, and with no other line between them and the place.
func Above(comments []Comment, at Place) []Comment {
	begin, line := len(comments), at.Line()
	for begin > 0 && comments[begin-1].LineStart && comments[begin-1].At.File() == at.File() && comments[begin-1].EndLine() == line-1 {
		begin--
		line = comments[begin].At.Line()
	}
	return comments[begin:]
}

// A DescribedMacro is a definition, in the main file, of a macro without parameters that comments
// stand directly above.
type DescribedMacro struct {
	Macro    *Macro
	Comments []Comment
}

// describe notes the definition of m in the line that begins with hash, if comments describe it.
func (p *Preprocessor) describe(m *Macro, hash *Token) {
	if !p.file.Main || m.function || len(p.Comments) == 0 || !p.Comments[len(p.Comments)-1].LineStart {
		return
	}
	if lead := Above(p.Comments, hash.At); len(lead) > 0 {
		p.Described = append(p.Described, DescribedMacro{m, slices.Clone(lead)})
	}
}
