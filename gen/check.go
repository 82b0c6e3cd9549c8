package gen

import (
	"context"
	"fmt"

	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/record"
)

// A CheckResult reports what Generate would change.
type CheckResult struct {
	Stale []string          // messages such as "kernels.ptx is stale: kernels.cu changed"
	Left  []output.Leftover // files of earlier runs that nothing needs
	Diff  string            // unified diff of the files that Generate would write, as far as it is known without compiling
}

// OK reports whether the output is current.
func (r *CheckResult) OK() bool { return len(r.Stale) == 0 && len(r.Left) == 0 && r.Diff == "" }

// Check compares the output beside the sources with what Generate would write. It needs no
// compiler, runs no command, and writes nothing.
//
// If images are stale, the result has only those differences of the Go files that follow from
// the source; none if the source contradicts the committed images.
func Check(o Options) (*CheckResult, error) {
	p, err := newPipeline(o, false)
	if err != nil {
		return nil, err
	}
	if err := p.build(context.Background(), nil); err != nil {
		return nil, err
	}
	result := new(CheckResult)
	for _, u := range p.units {
		for _, reason := range u.built.Reasons {
			result.Stale = append(result.Stale, fmt.Sprintf("%s is stale: %s", u.place.PTX, reason))
		}
	}
	err = p.prove()
	if err == nil {
		err = p.join()
	}
	if err != nil && len(result.Stale) == 0 {
		return nil, err
	}
	changes, err := output.Write(of(p, (*unit).product), p.common, true)
	if err != nil {
		return nil, err
	}
	result.Diff, result.Left, result.Stale = changes.Diff, changes.Left, append(result.Stale, changes.Stale...)
	return result, nil
}

// ReadRecord reads a record. path is that of the record, which ends in .cudagen.json, or of
// its source. Errors are those of package record.
func ReadRecord(path string) (*record.Record, error) { return record.Of(path) }
