package nvrtc

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/nvrtclib"
)

// keyFormat changes whenever what an entry holds, or what a key is made of, does.
const keyFormat = "cudagen nvrtc 1"

// key returns the hash of all that the build of p depends on: the library, its options,
// the source and every file that it may include. uncached is the reason when that
// cannot be known.
func (c *Compiler) key(p nvrtclib.Program, o Options) (key buildcache.Key, uncached string, err error) {
	if uncached = unknownFlag(o.Flags); uncached != "" {
		return key, uncached, nil
	}
	t := make(keyText, 0, 4096+len(p.Source))
	standard := nvrtclib.StandardHeadersSum()
	t.add(keyFormat, runtime.GOOS, runtime.GOARCH, c.identity, string(standard[:]), p.Name, p.Source)
	t.add(p.Options...)
	t.add(p.Names...)
	if o.LineInfo || slices.ContainsFunc(o.Flags, func(flag string) bool { // it writes the paths of files to the output
		return slices.Contains([]string{"G", "device-debug", "lineinfo", "generate-line-info"}, strings.TrimLeft(flag, "-"))
	}) {
		working, err := os.Getwd()
		if err != nil {
			return key, "", err
		}
		t.add(working)
	}

	// Relative ones remain so: where the working folder is makes no difference.
	dirs := []string{filepath.Dir(p.Name), "."}
	for _, option := range p.Options {
		if dir, ok := strings.CutPrefix(option, "-I"); ok {
			dirs = append(dirs, dir)
		}
	}
	texts := []text{{p.Source, dirs[0]}, {strings.Join(p.Options, "\n"), "."}}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		t.add(name, o.Headers[name])
		texts = append(texts, text{o.Headers[name], filepath.Dir(name)})
	}
	included, uncached := c.files.reach(texts, dirs)
	if uncached != "" {
		return key, uncached, nil
	}
	for _, f := range included {
		t.add(f.path, string(f.sum[:]))
	}
	return sha256.Sum256(t), "", nil
}

// A keyText is what a key is the hash of. No two lists of strings give the same bytes.
type keyText []byte

func (t *keyText) add(list ...string) {
	*t = binary.AppendUvarint(*t, uint64(len(list)))
	for _, s := range list {
		*t = binary.AppendUvarint(*t, uint64(len(s)))
		*t = append(*t, s...)
	}
}

// harmless matches the flags of NVRTC that neither read nor write a file, whatever
// their value. Folders belong into IncludeDirs.
//
// NVRTC User Guide, Supported Compile Options.
var harmless = regexp.MustCompile(`^-{1,2}(?:` + strings.Join([]string{
	`use_fast_math`, `ftz`, `prec-sqrt`, `prec-div`, `fmad`, `maxrregcount`,
	`G`, `device-debug`, `lineinfo`, `generate-line-info`,
	`rdc`, `relocatable-device-code`, `dc`, `device-c`, `dw`, `device-w`, `ewp`, `extensible-whole-program`,
	`w`, `disable-warnings`, `restrict`, `default-device`, `device-as-default-execution-space`,
	`device-int128`, `device-float128`, `dopt`, `extra-device-vectorization`, `std`, `minimal`, `modify-stack-limit`,
	`builtin-move-forward`, `builtin-initializer-list`, `err-no`, `display-error-number`, `no-display-error-number`,
	`diag-error`, `diag-suppress`, `diag-warn`,
}, "|") + `)(?:=.*)?$|^-[DU]\w`)

// unknownFlag says which flag keeps a build from being cached, or "".
func unknownFlag(flags []string) string {
	for _, flag := range flags {
		if !harmless.MatchString(flag) {
			return fmt.Sprintf("flag %s may depend on more than the source and its headers", flag)
		}
	}
	return ""
}
