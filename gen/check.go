package gen

import (
	"context"
	"go/scanner"
	"slices"

	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/internal/parallel"
)

// A CheckResult reports what Generate would change.
type CheckResult struct {
	Stale   []string          // messages such as "kernels.ptx is stale: kernels.cu changed"
	Left    []output.Leftover // files of earlier runs that nothing needs
	Diff    string            // unified diff of the files that Generate would write, as far as it is known without compiling
	Broken  scanner.ErrorList // with Options.KeepGoing: errors of the sources that cannot be checked
	Refused scanner.ErrorList // with Options.KeepGoing: errors of the kernels that Generate leaves out
}

// OK reports whether every source could be checked and Generate would change nothing.
func (r *CheckResult) OK() bool { return len(r.Stale)+len(r.Left)+len(r.Diff)+len(r.Broken) == 0 }

// Check compares the output beside the sources with what Generate would write. It needs no
// compiler, runs no command, and writes nothing.
//
// If images are stale, the result has only those differences of the Go files that follow from
// the source; none if the source contradicts the committed images.
func Check(o Options) (*CheckResult, error) {
	var result *CheckResult
	broken, err := source.Several(o.Sources, o.KeepGoing, func(paths []string) (err error) {
		o.Sources = paths
		result, err = check(o)
		return err
	})
	if err == nil {
		result.Broken = broken
	}
	return result, err // which is nil with an error
}

// check is Check for sources all of which can be checked.
func check(o Options) (*CheckResult, error) {
	p, err := newPipeline(context.Background(), o, false)
	if err == nil {
		err = p.build(context.Background(), nil)
	}
	if err != nil {
		return nil, err
	}
	stale := slices.ContainsFunc(p.units, func(u *unit) bool { return len(u.built.Reasons) > 0 })
	if err := parallel.InOrder(p.prove, p.join); err != nil && !stale {
		return nil, err
	}
	changes, err := output.Write(of(p, (*unit).product), p.common, true)
	if err != nil {
		return nil, err
	}
	refused := slices.Concat(of(p, func(u *unit) scanner.ErrorList { return u.refused })...)
	return &CheckResult{Stale: changes.Stale, Left: changes.Left, Diff: changes.Diff, Refused: refused}, nil
}

// ReadRecord reads a record. path is that of the record, which ends in .cudagen.json, or of
// its source. Errors are those of package record.
func ReadRecord(path string) (*record.Record, error) { return record.Of(path) }
