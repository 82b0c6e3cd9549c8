package build

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"

	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/record"
)

// A lowered PTX is one whose .version may be older than the compiler's: drivers refuse
// PTX of a newer ISA than they know, only because of that line.
type lowered struct {
	text    []byte
	module  *ptx.Module // of text
	from    string      // the compiler's version, when it was another
	checked bool        // by ptxas, when the version was another
	warning string      // why the version was kept
	refusal string      // why ptxas takes it with no version, nor does a driver

	original []byte      // as the compiler wrote it
	written  ptx.Version // by the compiler
}

// lower gives PTX the version that the option asks for, if nothing in it needs a newer one.
//
// PTX ISA, PTX Module Directives: .version.
func lower(name string, text []byte, option string) (*lowered, error) {
	module, err := ptx.Parse(name, text)
	if err != nil {
		return nil, diag.OfCompiler.Of(err)
	}
	result := &lowered{text: text, module: module, original: text, written: module.Version}
	if option == record.KeepPTXVersion {
		return result, nil
	}
	least, unknown := ptx.MinVersion(module)
	wanted, given := ptx.ParseVersion(option)
	switch {
	case len(unknown) > 0 && given:
		return nil, diag.FlagValue.Errorf("%s: -ptx-version %s: which version it needs is not known, because of %s (%w)", unknown[0].Pos, option, unknown[0].What, diag.Do("use keep"))
	case len(unknown) > 0:
		return result, nil
	case given && wanted.Less(least):
		return nil, diag.FlagValue.Errorf("%s: -ptx-version %s: what it uses needs PTX %s", name, option, least)
	case given && module.Version.Less(wanted):
		return nil, diag.FlagValue.Errorf("%s: -ptx-version %s: the compiler writes PTX %s, and that is not raised", name, option, module.Version)
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
	result.text, result.from = changed, module.Version.String()
	module.Version = wanted
	return result, nil
}

// assemble has ptxas, if there is one, take each text, and puts the compiler's version back where it
// takes no other. Most of its time is its start: it gets texts for one target together, and each by
// itself only when it refuses some, which may be because two of them have something of one name.
//
// What it says is kept in cache: it may take longer than the compiler.
func assemble(ctx context.Context, cache *buildcache.Cache, list []*lowered) error {
	ptxas := compile.Ptxas(os.Getenv)
	if ptxas == "" {
		return nil
	}
	targets := make(map[string][]*lowered)
	for _, l := range list {
		if len(l.module.Target) > 0 {
			targets[l.module.Target[0]] = append(targets[l.module.Target[0]], l)
		}
	}
	var lots [][]*lowered
	processors := runtime.GOMAXPROCS(0)
	for _, target := range slices.Sorted(maps.Keys(targets)) {
		same := slices.DeleteFunc(targets[target], func(l *lowered) bool {
			long := len(l.text) > longText
			if long {
				lots = append(lots, []*lowered{l})
			}
			return long
		})
		if len(same) > 0 {
			lots = slices.AppendSeq(lots, slices.Chunk(same, (len(same)+processors-1)/processors))
		}
	}
	return parallel.Each(lots, func(lot []*lowered) error {
		err := assembleLot(ctx, cache, ptxas, lot)
		if err == nil || ctx.Err() != nil {
			return err
		}
		for _, l := range lot {
			if len(lot) > 1 {
				err = assembleLot(ctx, cache, ptxas, []*lowered{l})
			}
			if ctx.Err() != nil {
				return err
			}
			if err == nil {
				continue
			}
			if l.from != "" {
				l.keep(fmt.Sprintf("the PTX keeps version %s, because ptxas does not take %s: %v", l.written, l.module.Version, err))
				err = assembleLot(ctx, cache, ptxas, []*lowered{l})
			}
			var refused *compile.RefusedError
			if errors.As(err, &refused) && !otherPtxas.MatchString(refused.Log) {
				l.refusal = refused.Log
			}
		}
		return nil
	})
}

// otherPtxas matches what a ptxas says that is older than the compiler.
var otherPtxas = regexp.MustCompile(`[Uu]nsupported \.version|is not defined for option`)

// longText is how many bytes of PTX take so long to assemble that the start of ptxas does not count.
const longText = 1 << 18

func assembleLot(ctx context.Context, cache *buildcache.Cache, ptxas string, lot []*lowered) error {
	target := lot[0].module.Target[0]
	verdict, err := cache.Get(ctx, verdictKey(ptxas, target, lot), func(ctx context.Context) (refusal string, err error) {
		texts := make([][]byte, len(lot))
		for i, l := range lot {
			texts[i] = l.text
		}
		var refused *compile.RefusedError
		if err = compile.Assembles(ctx, ptxas, os.Getenv, texts, target); errors.As(err, &refused) {
			return refused.Log, nil
		}
		return "", err
	})
	if err == nil && verdict.Data != "" {
		err = &compile.RefusedError{Log: verdict.Data}
	}
	if err != nil {
		return err
	}
	for _, l := range lot {
		l.checked = l.from != ""
	}
	return nil
}

// verdictKey returns the hash of all that decides whether the program ptxas takes lot.
func verdictKey(ptxas, target string, lot []*lowered) (key buildcache.Key) {
	h := sha256.New()
	fmt.Fprintf(h, "cudagen verdict 2\n%q %q\n", ptxas, target)
	if info, err := os.Stat(ptxas); err == nil {
		fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
	}
	for _, l := range lot {
		fmt.Fprintf(h, "%d\n%s", len(l.text), l.text)
	}
	h.Sum(key[:0])
	return key
}

// keep puts the compiler's version back.
func (l *lowered) keep(warning string) {
	l.text, l.from, l.warning = l.original, "", warning
	l.module.Version = l.written
}
