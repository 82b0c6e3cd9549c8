package lex

import (
	"go/token"
)

// An Include is one #include.
type Include struct {
	Pos    token.Position // of the name
	Path   string
	Angled bool // <path>, not "path"

	// Near is a folder around the main file in which the header is, although it was not
	// found: what -I may be missing. It is "" when there is none.
	Near string
}
