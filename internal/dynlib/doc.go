// Package dynlib opens each shared library of CUDA once, binds its functions to Go variables, and
// converts the texts and bytes that they take and return. It knows no library: packages nvrtclib and
// jitlinklib do. It imports purego alone. Start with Libraries, Load and Bind; a binary that cannot
// open libraries has Absent.
package dynlib
