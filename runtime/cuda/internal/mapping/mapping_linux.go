package mapping

import (
	"fmt"
	"os"
	"strings"
)

// NotFile says why size bytes at start are not all of files that the program has mapped for
// reading and writing; it is empty if they are. Go's heap and stacks are anonymous mappings, and its
// variables are in those of files from which the process also executes.
//
// proc_pid_maps(5).
func NotFile(start, size uintptr) string {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return "the mappings of the process cannot be read: " + err.Error()
	}
	return notInMaps(string(text), start, size)
}

// notInMaps is NotFile for the text of /proc/self/maps.
func notInMaps(maps string, start, size uintptr) string {
	type mapping struct {
		start, end uintptr
		mode, file string
	}
	var all []mapping
	executed := make(map[string]bool)
	for line := range strings.Lines(maps) {
		var m mapping
		var offset, device, inode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s", &m.start, &m.end, &m.mode, &offset, &device, &inode); n < 6 {
			return fmt.Sprintf("a mapping of the process cannot be read: %q", line)
		}
		if inode != "0" {
			m.file = device + " " + inode
		}
		if strings.Contains(m.mode, "x") {
			executed[m.file] = true
		}
		all = append(all, m)
	}
	for at := start; at-start < size; {
		i := 0
		for i < len(all) && (at < all[i].start || at >= all[i].end) {
			i++
		}
		switch {
		case i == len(all):
			return fmt.Sprintf("there is no memory at %#x", at)
		case all[i].file == "":
			return "it is not mapped from a file, but of Go's heap, of a stack or of another allocator"
		case executed[all[i].file]:
			return "it is a variable of the program or of a library"
		case !strings.HasPrefix(all[i].mode, "rw"):
			return fmt.Sprintf("it is mapped %s, not for reading and writing", all[i].mode)
		}
		at = all[i].end
	}
	return ""
}
