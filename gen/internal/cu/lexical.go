package cu

import (
	"cmp"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// An Include is one #include.
type Include = lex.Include

// An Assumption is what a macro was taken for outside of the files that were read.
type Assumption = lex.Assumption

// lexical returns how the tokens are read.
func (c *Config) lexical() *lex.Config {
	return &lex.Config{Include: c.Include, Define: c.Define, Std: c.Std, Arch: c.Arch, NVRTC: c.NVRTC, Read: c.Read, Stop: stopOf(c.Context)}
}

// since reports whether the language is of version or later, which is a value of __cplusplus.
func (c *Config) since(version string) bool {
	own, _ := lex.VersionOf(cmp.Or(c.Std, lex.DefaultStd))
	return own >= version
}
