package cuda

import "fmt"

// counted returns n things in words, which thing names: 1 element, 2 elements.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprint(n, " ", thing, "s")
}
