package gen

import (
	"context"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/output"
	"github.com/cudagen/cudagen/internal/record"
)

// A CheckResult reports what Generate would change.
type CheckResult struct {
	Stale   []Stale           // images, and records of emitters
	Left    []output.Leftover // files of earlier runs that nothing needs
	Diff    string            // unified diff of the files that Generate would write, as far as it is known without compiling
	Broken  Diagnostics       // with Options.KeepGoing: errors of the sources that cannot be checked
	Refused Diagnostics       // with Options.KeepGoing: errors of the kernels that Generate leaves out
	Notes   Diagnostics       // those of Generate, as far as they are known without compiling
}

// OK reports whether every source could be checked and Generate would change nothing.
func (r *CheckResult) OK() bool { return len(r.Stale)+len(r.Left)+len(r.Diff)+len(r.Broken) == 0 }

// Check compares the output beside the sources with what Generate would write. It needs no
// compiler, runs no command, and writes nothing.
//
// If images are stale, the result has only those differences of the Go files that follow from
// the source; none if the source contradicts the committed images.
func Check(o Options) (*CheckResult, error) { return CheckAll([]Options{o}) }

// CheckAll is Check for what GenerateAll would write.
func CheckAll(list []Options) (*CheckResult, error) {
	p, broken, err := each(context.Background(), list, check)
	if err != nil {
		return nil, err
	}
	if !p.unproved {
		if err := p.join(); err != nil && !p.stale() {
			return nil, err
		}
	}
	changes, err := output.Write(of(p, (*unit).product), p.common, true)
	if err != nil {
		return nil, err
	}
	r := p.result()
	return &CheckResult{Stale: changes.Stale, Left: changes.Left, Diff: changes.Diff, Broken: broken, Refused: r.Refused, Notes: r.Notes}, nil
}

// check does what Check does for each source by itself.
func check(o Options) (*pipeline, error) {
	p, err := newPipeline(context.Background(), o, false)
	if err == nil {
		err = p.build(context.Background(), nil)
	}
	if err != nil {
		return p, err
	}
	err = p.prove()
	if err != nil && p.stale() {
		p.unproved, err = true, nil
	}
	return p, err
}

// Clean removes all output of earlier runs in folders, which is not changed by hand. What stays is left, with the
// reason. With dry it removes nothing, and left has what it would remove, too, without a reason.
func Clean(folders []string, dry bool) (removed []string, left []Leftover, err error) {
	changes, err := output.Write(nil, output.Common{Folders: folders, Clean: true}, dry)
	if changes == nil {
		return nil, nil, err
	}
	return changes.Removed, changes.Left, err
}

// stale reports whether images have to be compiled.
func (p *pipeline) stale() bool {
	return slices.ContainsFunc(p.units, func(u *unit) bool { return len(u.built.Reasons) > 0 })
}

// A Record is what a run committed beside its output.
type Record = record.Record

// ReadRecord reads a record. path is that of the record, which ends in .cudagen.json, or of
// its source. Errors are those of package record.
func ReadRecord(path string) (*Record, error) { return record.Of(path) }
