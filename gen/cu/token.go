package cu

import (
	"go/token"
	"strings"
)

// A tokenKind says what a lexical token is.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokIdent             // identifiers and keywords
	tokNumber            // a preprocessing number, its suffix included
	tokChar              // a character literal with its prefix and quotes
	tokString            // a string literal with its prefix and quotes, or a raw string
	tokPunct             // an operator or punctuator
	tokHeader            // what #include names, with its quotes or angles
	tokComment           // with its markers
	tokIllegal           // text is the message; the preprocessor reports it where it matters
)

// A lexeme is a lexical token.
type lexeme struct {
	kind      tokenKind
	lineStart bool  // first on its logical line, comments aside
	blank     bool  // white space or a comment stands before it
	painted   bool  // the name of a macro that is not replaced any more: C++ standard, [cpp.rescan]
	doubtful  bool  // under a condition that could not be evaluated
	comments  int32 // number of comments before it, in all files
	text      string
	at        place      // in the user's source: for what a macro stands for, where the macro is used
	from      *expansion // nil for what stands in the source itself
}

// A place is a position in a source file. Line and column count from 1, the column in
// bytes.
type place struct {
	file                 *source
	offset, line, column int32
	unsettled            int32 // the innermost unsettled condition around it, counted from 1
}

// A source is a file that is read.
type source struct {
	name     string // as positions show it
	included place  // of the #include; its file is nil for the main file
	depth    int    // number of files that enclose it
	main     bool   // the file that ParseFile is given
	system   bool   // found through an angled #include
}

// An expansion is one use of a macro.
type expansion struct {
	macro  *macro
	parent *expansion // in which the macro's name stands
}

// position returns p as messages show it.
func (p place) position() token.Position {
	if p.file == nil {
		return token.Position{}
	}
	return token.Position{Filename: p.file.name, Offset: int(p.offset), Line: int(p.line), Column: int(p.column)}
}

func (l *lexeme) pos() token.Position { return l.at.position() }

// is reports whether l is the punctuator or the word text.
func (l *lexeme) is(text string) bool {
	return l.text == text && (l.kind == tokPunct || l.kind == tokIdent)
}

// describe returns how messages call l.
func (l *lexeme) describe() string {
	switch l.kind {
	case tokEOF:
		if l.text != "" { // the end of a piece is the token behind it
			return l.text
		}
		return "end of file"
	case tokIllegal:
		return "an illegal token"
	case tokString:
		return "a string"
	}
	return l.text
}

// explain returns the message text about l with the macros that l comes from, innermost
// first, and the files that include its file, as far as text does not name them already.
func (l *lexeme) explain(text string) string {
	const most = 3 // of each: more tell nobody more
	add := func(where string) {
		if !strings.Contains(text, where) {
			text += where
		}
	}
	n := 0
	for e := l.from; e != nil && n < most; e = e.parent {
		defined := ""
		if at := e.macro.at; at.file != nil && at.line > 0 {
			defined = ", defined at " + at.position().String()
		}
		add(" (in expansion of " + e.macro.name + defined + ")")
		n++
	}
	n = 0
	for f := l.at.file; f != nil && f.included.file != nil && n < most; f = f.included.file {
		add(" (included from " + f.included.position().String() + ")")
		n++
	}
	return text
}
