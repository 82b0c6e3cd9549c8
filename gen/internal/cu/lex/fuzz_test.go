package lex

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fuzzing"
)

// fuzzed reads src as a file that can include itself.
func fuzzed(src []byte) *Config {
	return &Config{Include: []string{"."}, Read: files{"self.cu": string(src), "f.cu": string(src)}.read}
}

func FuzzScan(f *testing.F) {
	fuzzing.Seeds(f, "../../../..")
	f.Fuzz(func(t *testing.T, src []byte) {
		s := NewLexer(NewSource("f.cu", string(src)))
		last := -1
		for l := s.Scan(); l.Kind != EOF; l = s.Scan() {
			require.Greater(t, l.Pos().Offset, last, "the lexer stands still")
			require.Less(t, l.Pos().Offset, len(src))
			require.NotEmpty(t, l.Text)
			last = l.Pos().Offset
		}
		require.Equal(t, hashes(string(src), false), hashes(string(src), true), "lines are skipped otherwise than read")
	})
}

// hashes returns the offsets of the tokens that begin preprocessor lines. The other lines are
// skipped, or read.
func hashes(src string, skip bool) []int32 {
	var offsets []int32
	s := NewLexer(NewSource("f.cu", src))
	for l := s.Scan(); l.Kind != EOF; l = s.Scan() {
		begins := l.LineStart && l.Is("#")
		switch {
		case begins:
			offsets = append(offsets, l.At.Offset)
		case skip && s.directive == 0:
			s.skipLines()
		}
	}
	return offsets
}

// What the preprocessor makes is bounded by a multiple of what it reads, and every token
// has a position in the source.
func FuzzPreprocess(f *testing.F) {
	fuzzing.Seeds(f, "../../../..")
	f.Fuzz(func(t *testing.T, src []byte) {
		var p *Preprocessor
		fuzzing.Watch(t, func() (bytes, steps int) {
			p = Preprocess(fuzzed(src), "f.cu", string(src))
			return p.Bytes, p.Steps
		})
		require.LessOrEqual(t, len(p.Tokens), 1<<19+16*p.Bytes)
		require.Equal(t, EOF, p.Tokens[len(p.Tokens)-1].Kind)
		for i := range p.Tokens {
			l := &p.Tokens[i]
			require.NotNil(t, l.At.File())
			require.LessOrEqual(t, int(l.At.Offset), len(src))
			require.LessOrEqual(t, int(l.Comments), len(p.Comments))
		}
	})
}
