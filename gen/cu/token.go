package cu

import "go/token"

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

	// Marks that the preprocessor leaves where it does not know whether a condition
	// holds: #if, then any number of #elif and #else, then #endif.
	tokCondIf
	tokCondElse
	tokCondEnd
)

// A lexeme is a lexical token, or a mark of the preprocessor.
type lexeme struct {
	kind      tokenKind
	lineStart bool // first on its logical line, comments aside
	text      string
	pos       token.Position
	comments  int // number of comments before it, in the whole file

	cond *conditional // of the marks
	next int          // of tokCondIf and tokCondElse: index of the following mark of the same conditional
}

// is reports whether l is the punctuator or the word text.
func (l *lexeme) is(text string) bool {
	return l.text == text && (l.kind == tokPunct || l.kind == tokIdent)
}

// describe returns how messages call l.
func (l *lexeme) describe() string {
	switch l.kind {
	case tokEOF:
		return "end of file"
	case tokCondIf, tokCondElse, tokCondEnd:
		return "#" + l.text
	case tokIllegal:
		return "an illegal token"
	case tokString:
		return "a string"
	}
	return l.text
}
