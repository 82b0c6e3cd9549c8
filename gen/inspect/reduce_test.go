package inspect_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// minimise returns a small sample that fails as f does, and what it fails with. Of the
// judges it asks the last one that shows the failure, which is the fastest.
func minimise(t testing.TB, f failure, judges []judge) (*sample, string) {
	t.Helper()
	m := &reducer{t: t, failure: f}
	for _, j := range judges {
		m.judge = j
		if m.failing([]*sample{f.sample})[0] != "" {
			f.judge = j
		}
	}
	m.judge = f.judge
	small := m.shrink(f.sample, strings.Split(strings.TrimSuffix(f.sample.source(), "\n"), "\n"), "\n")
	var tokens []string
	for _, line := range small.lines {
		tokens = append(tokens, tokenise(line)...)
	}
	small = m.shrink(small, tokens, "")
	text := m.failing([]*sample{small})[0]
	if text == "" {
		return f.sample, f.text + " (not made small)"
	}
	return small, text
}

// A reducer makes one failure small.
type reducer struct {
	t testing.TB
	failure
	asked int
}

// tokenise cuts a line into its tokens, each with the blanks in front of it. A directive
// of the preprocessor is one token.
func tokenise(line string) []string {
	if strings.HasPrefix(line, "#") || strings.HasSuffix(line, "\\") {
		return []string{"\n" + line + "\n"}
	}
	tokens := token.FindAllString(line, -1)
	if len(tokens) > 0 {
		tokens[len(tokens)-1] += "\n"
	}
	return tokens
}

var token = regexp.MustCompile(`\s*(//.*|/\*.*?\*/|R"x\(.*?\)x"|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|[\w']+|::|&&|\|\||<<|>=|<=|==|!=|->|\.\.\.|##|.)`)

// shrink takes parts out of s as long as it fails. The parts make up its source.
func (m *reducer) shrink(s *sample, parts []string, separator string) *sample {
	with := func(parts []string) *sample {
		return s.reduced(strings.Split(strings.TrimSuffix(join(parts, separator), "\n"), "\n"))
	}
	for size := max(1, len(parts)/2); size >= 1; {
		var candidates [][]string
		for i := 0; i < len(parts); i += size {
			candidates = append(candidates, slices.Concat(parts[:i], parts[min(i+size, len(parts)):]))
		}
		if size == 1 {
			candidates = append(candidates, groups(parts)...)
		}
		var samples []*sample
		for _, c := range candidates {
			samples = append(samples, with(c))
		}
		// All that may go, and a part of it, in the same run: one more round is dear.
		var good []int
		for i, text := range m.failing(samples) {
			if text != "" {
				good = append(good, i)
			}
		}
		if len(good) == 0 {
			size /= 2
			continue
		}
		best := candidates[good[0]]
		for _, i := range good {
			if len(candidates[i]) < len(best) {
				best = candidates[i]
			}
		}
		if blocks := (len(parts) + size - 1) / size; len(good) > 1 {
			var together [][]string
			for _, share := range []int{1, 2, 4, 8} {
				var kept []string
				for i := range parts {
					at := slices.Index(good, i/size)
					if at < 0 || at >= (len(good)+share-1)/share || i/size >= blocks {
						kept = append(kept, parts[i])
					}
				}
				together = append(together, kept)
			}
			samples = nil
			for _, c := range together {
				samples = append(samples, with(c))
			}
			for i, text := range m.failing(samples) {
				if text != "" && len(together[i]) < len(best) {
					best = together[i]
				}
			}
		}
		parts = best
		size = max(1, min(size, len(parts)/2))
		if len(parts) <= 1 {
			break
		}
	}
	return with(parts)
}

// join joins parts, with a blank where two words would become one.
func join(parts []string, separator string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString(separator)
			if separator == "" && wordEnd.MatchString(parts[i-1]) && wordBegin.MatchString(part) {
				b.WriteString(" ")
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

var wordEnd, wordBegin = regexp.MustCompile(`\w$`), regexp.MustCompile(`^\w`)

// groups returns tokens without what is in a pair of brackets, and without the brackets.
func groups(tokens []string) [][]string {
	var list [][]string
	var open []int
	for i, text := range tokens {
		switch strings.TrimSpace(text) {
		case "(", "[", "{", "<":
			open = append(open, i)
		case ")", "]", "}", ">":
			if len(open) == 0 {
				continue
			}
			begin := open[len(open)-1]
			open = open[:len(open)-1]
			list = append(list, slices.Concat(tokens[:begin], tokens[i+1:]), slices.Concat(tokens[:begin], tokens[begin+1:i], tokens[i+1:]))
			if begin > 0 {
				list = append(list, slices.Concat(tokens[:begin-1], tokens[i+1:]))
			}
		}
	}
	return list
}

// failing says of each sample how it fails as the failure does; "" when it does not.
func (m *reducer) failing(samples []*sample) []string {
	texts := make([]string, len(samples))
	var asked []*sample
	readings := make(map[*sample]*reading)
	index := make(map[*sample]int)
	for i, s := range samples {
		r := read(s)
		if m.wrong != (r.refused == "") {
			continue
		}
		if f := (failure{text: r.refused}); !m.wrong && f.kind() != m.kind() {
			continue
		}
		m.asked++
		one := *s
		one.id = 1000000 + m.asked
		one.space = fmt.Sprintf("M%d", one.id)
		asked = append(asked, &one)
		readings[&one], index[&one] = r, i
	}
	for len(asked) > 0 {
		part := asked[:min(len(asked), 100)]
		asked = asked[len(part):]
		for s, v := range m.judge.judgements(m.t, part) {
			if text := readings[s].refused; text != "" {
				texts[index[s]] = text
			} else {
				text := disagreement(s, readings[s], v)
				if strings.HasPrefix(text, otherFields) && !strings.HasPrefix(m.text, otherFields) {
					continue // what was taken out made other fields of it
				}
				texts[index[s]] = text
			}
		}
	}
	return texts
}
