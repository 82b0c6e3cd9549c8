package gen

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/build"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// A CheckResult says what Generate would change.
type CheckResult struct {
	Stale []string // for people: "kernels.ptx is stale: kernels.cu changed"
	Left  []string // paths of outputs whose source is gone
	Diff  string   // unified: of the files that would be written, as far as that is known without compiling
}

// OK reports that the output is current.
func (r *CheckResult) OK() bool { return len(r.Stale) == 0 && len(r.Left) == 0 && r.Diff == "" }

// Check compares what is committed beside the sources with what Generate would write.
// It needs no compiler, writes nothing, and runs nothing.
//
// When images are stale, only compiling tells what would be in them: then the
// differences in Go are those that the source alone decides, if it agrees with the
// committed images at all.
func Check(o Options) (*CheckResult, error) {
	p, err := newPipeline(o, false)
	if err != nil {
		return nil, err
	}
	if err := p.build(build.Committed); err != nil {
		return nil, err
	}
	result, stale := new(CheckResult), false
	for _, u := range p.units {
		for _, reason := range u.built.Reasons {
			result.Stale = append(result.Stale, fmt.Sprintf("%s is stale: %s", u.place.PTX, reason))
			stale = true
		}
	}
	err = p.print()
	switch {
	case err != nil && !stale:
		return nil, err
	case err == nil:
		if result.Diff, err = output.Diff(p.outputs); err != nil {
			return nil, err
		}
	}
	places := make([]source.Place, len(p.units))
	for i, u := range p.units {
		places[i] = u.place
	}
	result.Left, err = output.Left(places)
	return result, err
}

// ReadRecord reads the record beside a source, or the one at path itself: a file whose
// name ends in .cudagen.json. Its errors are those of package record.
func ReadRecord(path string) (*record.Record, error) {
	path, err := output.RecordOf(path)
	if err != nil {
		return nil, err
	}
	return record.Read(path)
}
