package record

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
)

// sumPrefix begins the line of a generated Go file that tells whether the file was edited.
const sumPrefix = "// with the sum "

// Sign returns the Go file that consists of Marker, the lines of a comment and body, with the sum that Sum compares.
func Sign(comment string, body []byte) []byte {
	return fmt.Appendf(nil, "%s%s%s\n\n%s", Marker, comment, sumLine(comment, body), body)
}

// SignCode is Sign of a Go file that begins with Marker and a blank line, or is signed already.
func SignCode(code []byte) []byte {
	if comment, _, body, ok := taken(code); ok {
		return Sign(comment, body)
	}
	body, ok := bytes.CutPrefix(code, []byte(Marker+"\n"))
	if !ok {
		return code
	}
	return Sign("", body)
}

// Sum takes apart what Sign put together. edited reports whether comment or body are others than Sign was given. ok is
// false for a file that Sign did not make: older versions of cudagen wrote Go files of kernels without a sum.
func Sum(content []byte) (comment string, body []byte, edited, ok bool) {
	comment, line, body, ok := taken(content)
	return comment, body, ok && line != sumLine(comment, body), ok
}

// taken returns the comment, the line with the sum and the body of a signed file.
func taken(content []byte) (comment, line string, body []byte, ok bool) {
	rest, marked := bytes.CutPrefix(Unix(content), []byte(Marker))
	head, body, behind := bytes.Cut(rest, []byte("\n\n"))
	at := bytes.LastIndexByte(head, '\n') + 1
	comment, line = string(head[:at]), string(head[at:])
	return comment, line, body, marked && behind && strings.HasPrefix(line, sumPrefix)
}

// sumLine returns the line with the sum of comment and body.
func sumLine(comment string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(comment))
	h.Write(body)
	return fmt.Sprintf("%s%x", sumPrefix, h.Sum(nil)[:16])
}
