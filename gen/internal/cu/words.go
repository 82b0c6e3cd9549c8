package cu

import (
	"strings"
)

// words returns the set of the words in text.
func words(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
