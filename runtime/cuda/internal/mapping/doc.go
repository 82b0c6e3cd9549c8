// Package mapping takes an address of this process and says whether the program has mapped a file there, or why not: Go
// memory is none. It knows no device.
package mapping
