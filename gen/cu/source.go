package cu

import (
	"go/token"
	"slices"
	"strings"
)

// A source is a file that is read.
type source struct {
	name     string // as positions show it
	included place  // of the #include; its origin is nil for the main file
	depth    int    // number of files that enclose it
	main     bool   // the file that ParseFile is given
	system   bool   // found through an angled #include
	text     *text
	shift    token.Position // what positions are moved by: its numbers are added to theirs
	self     origin         // of what stands in the file itself
}

// A text is what a file says.
type text struct {
	src   string
	lines []int32 // offsets of the beginnings of the lines; nil as long as nobody has asked
}

// newSource returns the file called name, whose text is src.
func newSource(name, src string) *source {
	f := &source{name: name, text: &text{src: src}}
	f.self.file = f
	return f
}

// renamed returns f as it is behind a #line: with another name, and with lines lines more.
func (f *source) renamed(name string, lines int) *source {
	other := *f
	other.name = name
	other.shift.Line += lines
	other.self.file = &other
	return &other
}

// position returns the position of the byte at offset.
func (f *source) position(offset int) token.Position {
	t := f.text
	if t.lines == nil {
		t.index()
	}
	line, found := slices.BinarySearch(t.lines, int32(offset))
	if found {
		line++ // now the number of the line, from 1
	}
	return token.Position{
		Filename: f.name,
		Offset:   offset + f.shift.Offset,
		Line:     line + f.shift.Line,
		Column:   offset - int(t.lines[line-1]) + 1 + f.shift.Column,
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
