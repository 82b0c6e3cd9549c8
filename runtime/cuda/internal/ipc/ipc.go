// Package ipc writes and reads the text of handles that processes on a machine give each other: a handle of the driver's, the
// GPU that it is on, the process that exported it, and what it is of. It knows no memory, no event and no element type.
package ipc

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Handle is the driver's handle, with the properties that the opening process compares.
type Handle struct {
	Driver  driver.IpcHandle
	UUID    string // of the device
	Process string // which has exported it; empty for no handle
}

// ThisProcess returns a number that no other process has.
var ThisProcess = sync.OnceValue(func() string {
	var number [8]byte
	rand.Read(number[:]) // never fails
	return hex.EncodeToString(number[:])
})

// Text returns h as text of one line without spaces: the kind, the parts of h, and more about what it is of.
func (h *Handle) Text(kind string, more ...string) string {
	parts := append([]string{kind, h.UUID, h.Process, base64.RawURLEncoding.EncodeToString(h.Driver[:])}, more...)
	return strings.Join(parts, "/")
}

// Parse undoes Text of a handle with so many parts more, or says what is wrong.
func Parse(kind, text string, more int) (h Handle, rest []string, wrong string) {
	parts := strings.Split(strings.TrimSpace(text), "/")
	if len(parts) != 4+more || parts[0] != kind || parts[1] == "" || parts[2] == "" {
		return h, nil, fmt.Sprintf("%.40q is not the text of a handle, which begins with %s", text, kind)
	}
	handle, err := base64.RawURLEncoding.DecodeString(parts[3])
	if err != nil || len(handle) != len(h.Driver) {
		return h, nil, "the handle itself is damaged"
	}
	return Handle{driver.IpcHandle(handle), parts[1], parts[2]}, parts[4:], ""
}
