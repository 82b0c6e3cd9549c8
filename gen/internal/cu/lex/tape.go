package lex

// A tape gathers tokens in pieces, so that none is copied but once, in the end, when their
// number is known.
type tape struct {
	full [][]Token
	last []Token
	n    int // of those in full
}

// pieceLength is how many tokens a piece has, but the first ones, which are shorter.
const pieceLength = 1 << 15

// add appends l.
func (t *tape) add(l *Token) {
	if len(t.last) == cap(t.last) {
		t.n += len(t.last)
		if t.last != nil {
			t.full = append(t.full, t.last)
		}
		t.last = make([]Token, 0, min(max(t.n, 1<<8), pieceLength))
	}
	t.last = append(t.last, *l)
}

func (t *tape) len() int { return t.n + len(t.last) }

// list returns all tokens, and forgets them.
func (t *tape) list() []Token {
	list := make([]Token, 0, t.len())
	for i, piece := range t.full {
		list = append(list, piece...)
		t.full[i] = nil
	}
	list = append(list, t.last...)
	*t = tape{}
	return list
}
