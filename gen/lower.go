package gen

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/internal/ptx"
)

// What Options.PTXVersion may be besides a version.
const (
	KeepPTXVersion = "keep" // as the compiler writes it
	MinPTXVersion  = "min"  // the least that the instructions need
)

// A lowered PTX is one whose .version may be older than the compiler's: drivers refuse
// PTX of a newer ISA than they know, only because of that line.
type lowered struct {
	text    []byte
	module  *ptx.Module // of text
	from    string      // the compiler's version, when it was another
	checked bool        // by ptxas
	warning string      // why the version was kept
}

// checkPTXVersion reports what PTXVersion cannot be.
func checkPTXVersion(option string) error {
	if option == "" || option == KeepPTXVersion || option == MinPTXVersion {
		return nil
	}
	if _, ok := parseVersion(option); !ok {
		return fmt.Errorf("-ptx-version %s: write keep, min, or a version of the PTX ISA: 7.8", option)
	}
	return nil
}

func parseVersion(text string) (ptx.Version, bool) {
	major, minor, ok := strings.Cut(text, ".")
	x, errX := strconv.Atoi(major)
	y, errY := strconv.Atoi(minor)
	return ptx.Version{Major: x, Minor: y}, ok && errX == nil && errY == nil && x > 0 && y >= 0
}

// lower gives PTX the version that the option asks for, if nothing in it needs a newer
// one. A ptxas that is there has to take the result.
//
// PTX ISA, PTX Module Directives: .version.
func lower(ctx context.Context, name string, text []byte, option string) (*lowered, error) {
	module, err := ptx.Parse(name, text)
	if err != nil {
		return nil, err
	}
	result := &lowered{text: text, module: module}
	if option == KeepPTXVersion {
		return result, nil
	}
	least, unknown := ptx.MinVersion(module)
	wanted, given := parseVersion(option)
	switch {
	case len(unknown) > 0 && given:
		return nil, fmt.Errorf("%s: -ptx-version %s: which version it needs is not known, because of %s (use keep)", unknown[0].Pos, option, unknown[0].What)
	case len(unknown) > 0:
		return result, nil
	case given && wanted.Less(least):
		return nil, fmt.Errorf("%s: -ptx-version %s: what it uses needs PTX %s", name, option, least)
	case given && module.Version.Less(wanted):
		return nil, fmt.Errorf("%s: -ptx-version %s: the compiler writes PTX %s, and that is not raised", name, option, module.Version)
	case !given:
		wanted = least
	}
	if !wanted.Less(module.Version) {
		return result, nil
	}
	changed, err := ptx.SetVersion(name, text, wanted)
	if err != nil {
		return nil, err
	}
	if ptxas := compile.Ptxas(os.Getenv); ptxas != "" && len(module.Target) > 0 {
		if err := compile.Assembles(ctx, ptxas, os.Getenv, changed, module.Target[0]); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			result.warning = fmt.Sprintf("the PTX keeps version %s, because ptxas does not take %s: %v", module.Version, wanted, err)
			return result, nil
		}
		result.checked = true
	}
	result.text, result.from = changed, module.Version.String()
	module.Version = wanted
	return result, nil
}
