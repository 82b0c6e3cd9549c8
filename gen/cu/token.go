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
	tokPainted           // the name of a macro that is not replaced any more: C++ standard, [cpp.rescan]; the parser has tokIdent
)

// A lexeme is a lexical token. There are millions of them where headers are large: it has
// 40 bytes.
type lexeme struct {
	text      string    // as written, without line continuations; of an illegal token what is wrong
	at        place     // in the user's source: for what a macro stands for, where the macro is used
	comments  int32     // number of comments before it, in all files
	kind      tokenKind // what it is
	lineStart bool      // first on its logical line, comments aside
	blank     bool      // white space or a comment stands before it
	doubtful  bool      // under a condition that could not be evaluated
}

// A place is a position in a source file.
type place struct {
	origin    *origin // nil where there is no file
	offset    int32   // in the text of the file
	unsettled int32   // the innermost unsettled condition around it, counted from 1
}

// An origin is where tokens come from: a file, or one use of a macro in it.
type origin struct {
	file   *source
	macro  *macro  // nil for what stands in the file itself
	parent *origin // the use that the macro's name comes from; nil when it stands in the file itself
}

// from returns the use of a macro that p comes from, nil when it stands in the file itself.
func (p place) from() *origin {
	if p.origin == nil || p.origin.macro == nil {
		return nil
	}
	return p.origin
}

// file returns the file that p is in, nil when there is none.
func (p place) file() *source {
	if p.origin == nil {
		return nil
	}
	return p.origin.file
}

// line returns the line of p, counted from 1, and 0 when there is no file.
func (p place) line() int32 { return int32(p.position().Line) }

// position returns p as messages show it.
func (p place) position() token.Position {
	if p.origin == nil {
		return token.Position{}
	}
	return p.origin.file.position(int(p.offset))
}

// pos returns where l is, as messages show it.
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
	for e := l.at.from(); e != nil && n < most; e = e.parent {
		defined := ""
		if at := e.macro.at; at.origin != nil {
			defined = ", defined at " + at.position().String()
		}
		add(" (in expansion of " + e.macro.name + defined + ")")
		n++
	}
	n = 0
	for f := l.at.file(); f != nil && f.included.origin != nil && n < most; f = f.included.file() {
		add(" (included from " + f.included.position().String() + ")")
		n++
	}
	return text
}
