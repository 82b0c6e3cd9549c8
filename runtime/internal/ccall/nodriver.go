//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package ccall

// MaxArguments is how many arguments a call can have.
const MaxArguments = 64

// invoke panics: this binary cannot open a library, so nothing has the address of a C function.
func invoke(*Call) {
	panic("ccall: this binary calls no C functions: it was built with -tags cudagen_nodriver, or for a system without CUDA")
}

func invokeFloat(c *Call) { invoke(c) }
