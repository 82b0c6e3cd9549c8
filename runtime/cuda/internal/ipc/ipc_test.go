package ipc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	h := Handle{UUID: "GPU-1", Process: ThisProcess()}
	h.Driver[0], h.Driver[63] = 1, 255
	text := h.Text("kind", "float32", "7")
	assert.NotContains(t, text, " ")
	read, rest, wrong := Parse("kind", text+"\n", 2)
	assert.Empty(t, wrong)
	assert.Equal(t, h, read)
	assert.Equal(t, []string{"float32", "7"}, rest)
	for text, want := range map[string]string{
		"":                                  "is not the text of a handle, which begins with kind",
		"other" + text[4:]:                  "is not the text of a handle",
		text + "/more":                      "is not the text of a handle",
		"kind//" + text[len("kind/"):]:      "is not the text of a handle",
		strings.Replace(text, "AQ", "!", 1): "the handle itself is damaged",
		strings.Replace(text, "AQ", "", 1):  "the handle itself is damaged",
	} {
		_, _, wrong := Parse("kind", text, 2)
		assert.Contains(t, wrong, want, text)
	}
}
