// Package dynlib opens shared libraries of CUDA whose C functions are called from Go, each once, and
// has the forms in which they take text and give bytes. It knows none of them: packages nvrtclib and
// jitlinklib do. It imports purego alone. Start with Libraries and Symbol; binaries that cannot open any have
// Absent.
package dynlib
