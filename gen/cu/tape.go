package cu

// A tape gathers lexemes in pieces, so that none is copied but once, in the end, when their
// number is known.
type tape struct {
	full [][]lexeme
	last []lexeme
	n    int // of those in full
}

// pieceLength is how many lexemes a piece has, but the first ones, which are shorter.
const pieceLength = 1 << 15

// add appends l.
func (t *tape) add(l *lexeme) {
	if len(t.last) == cap(t.last) {
		t.n += len(t.last)
		if t.last != nil {
			t.full = append(t.full, t.last)
		}
		t.last = make([]lexeme, 0, min(max(t.n, 1<<8), pieceLength))
	}
	t.last = append(t.last, *l)
}

func (t *tape) len() int { return t.n + len(t.last) }

// list returns all lexemes, and forgets them.
func (t *tape) list() []lexeme {
	list := make([]lexeme, 0, t.len())
	for i, piece := range t.full {
		list = append(list, piece...)
		t.full[i] = nil
	}
	list = append(list, t.last...)
	*t = tape{}
	return list
}
