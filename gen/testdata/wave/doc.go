// Package wave has kernels that are compiled when they are loaded: its Go file embeds
// their source.
package wave

//go:generate go run github.com/cudagen/cudagen/cmd/cudagen -embed source -I include -D STEPS=3 wave.cu
