package lex

import (
	"go/token"
	"slices"
	"strings"
)

// A Source is a file that is read.
type Source struct {
	Name     string // as positions show it
	included Place  // of the #include; its origin is nil for the main file
	depth    int    // number of files that enclose it
	Main     bool   // the file that ParseFile is given
	System   bool   // found through an angled #include
	text     *text
	Shift    token.Position // what positions are moved by: its numbers are added to theirs
	self     Origin         // of what stands in the file itself
}

// A text is what a file says.
type text struct {
	src   string
	lines []int32 // offsets of the beginnings of the lines; nil as long as nobody has asked
}

// NewSource returns the file called name, whose text is src.
func NewSource(name, src string) *Source {
	f := &Source{Name: name, text: &text{src: src}}
	f.self.file = f
	return f
}

// renamed returns f as it is behind a #line: with another name, and with lines lines more.
func (f *Source) renamed(name string, lines int) *Source {
	other := *f
	other.Name = name
	other.Shift.Line += lines
	other.self.file = &other
	return &other
}

// position returns the position of the byte at offset.
func (f *Source) position(offset int) token.Position {
	t := f.text
	if t.lines == nil {
		t.index()
	}
	line, found := slices.BinarySearch(t.lines, int32(offset))
	if found {
		line++ // now the number of the line, from 1
	}
	return token.Position{
		Filename: f.Name,
		Offset:   offset + f.Shift.Offset,
		Line:     line + f.Shift.Line,
		Column:   offset - int(t.lines[line-1]) + 1 + f.Shift.Column,
	}
}

// index finds the lines of t.
func (t *text) index() {
	t.lines = make([]int32, 1, strings.Count(t.src, "\n")+1)
	for begin := 0; ; {
		n := strings.IndexByte(t.src[begin:], '\n')
		if n < 0 {
			return
		}
		begin += n + 1
		t.lines = append(t.lines, int32(begin))
	}
}
