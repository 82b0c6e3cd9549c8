package lex

import (
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
