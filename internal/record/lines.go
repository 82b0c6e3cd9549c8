package record

import "bytes"

// Unix returns what cudagen wrote, of a file that a checkout may have given the line ends of Windows
// (git's core.autocrlf). Machine code, which holds zero bytes, stays as it is.
func Unix(there []byte) []byte {
	if bytes.IndexByte(there, 0) >= 0 {
		return there
	}
	return bytes.ReplaceAll(there, []byte("\r\n"), []byte("\n"))
}

// Same reports whether a file that is there has the content that is to be written, but for line ends
// that a checkout has changed.
func Same(there, content []byte) bool {
	return bytes.Equal(there, content) || bytes.Equal(Unix(there), content)
}

// Content returns the bytes of i, of a file that is there: as they are, or with the line ends that a
// checkout has changed. ok is false if they are another image's.
func (i *Image) Content(there []byte) (content []byte, ok bool) {
	if HashImage(there) == i.SHA256 {
		return there, true
	}
	content = Unix(there)
	return content, HashImage(content) == i.SHA256
}
