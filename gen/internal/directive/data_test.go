package directive

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPair(t *testing.T) {
	for text, want := range map[string]struct {
		key, value string
		length     int
	}{
		`a=1`:             {"a", "1", 3},
		`a=1 b=2`:         {"a", "1", 3},
		"a=1\tb=2":        {"a", "1", 3},
		`a="1 2" b=3`:     {"a", "1 2", 7},
		"a=\"1 2\"\tb=3":  {"a", "1 2", 7},
		`a="" b=3`:        {"a", "", 4},
		"a=`x\\n` b":      {"a", `x\n`, 7},
		`a.b-c_d="\"x\""`: {"a.b-c_d", `"x"`, 15},
		`a='b'`:           {"a", "'b'", 5},
	} {
		key, value, length, problem := pair(text)
		assert.Empty(t, problem.Text, text)
		assert.Equal(t, want.key, key, text)
		assert.Equal(t, want.value, value, text)
		assert.Equal(t, want.length, length, text)
	}
	for text, want := range map[string]string{
		`a`: "is not key=value", `a =1`: "is not key=value", `=1`: "is not key=value", `a=`: "has no value", `a= b=1`: "has no value",
		`a="1"2`: "quotes go around a whole value", `a=1"2"`: "quotes go around a whole value", `a="1`: "quotes go around a whole value",
	} {
		_, _, _, problem := pair(text)
		assert.Contains(t, problem.Text, want, text)
	}
}
