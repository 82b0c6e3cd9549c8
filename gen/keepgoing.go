package gen

import (
	"errors"
	"go/scanner"
	"slices"

	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// keepGoing calls run with o. When that fails for some of several sources, and o.KeepGoing says
// so, it calls run again for those that it does not fail for: alone finds out which they are. left
// are the errors of the others.
//
// The sources are tried one by one, because an error may stand in a header: its position does not
// tell whose it is. What was compiled comes from the cache then.
func (o Options) keepGoing(run, alone func(Options) error) (left scanner.ErrorList, err error) {
	err = run(o)
	if err == nil || len(o.Sources) < 2 || !ofSources(err) {
		return nil, err
	}
	if !o.KeepGoing {
		return nil, o.passable(err)
	}
	var good []string
	for _, path := range o.Sources {
		one := o
		one.Sources = []string{path}
		switch failed := alone(one); {
		case failed == nil:
			good = append(good, path)
		case ofSources(failed):
			left = append(left, source.Mistakes(path, failed)...)
		default:
			return nil, failed
		}
	}
	if len(good) == 0 || len(left) == 0 {
		return nil, err
	}
	o.Sources = good
	return left, run(o)
}

// ofSources reports whether err is about sources, and not about all there is.
func ofSources(err error) bool {
	var list scanner.ErrorList
	var one *source.Error
	return errors.As(err, &list) || errors.As(err, &one)
}

// passable returns err with a hint, when there are sources that none of its errors stands in.
func (o *Options) passable(err error) error {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return err
	}
	free := slices.ContainsFunc(o.Sources, func(path string) bool {
		return !slices.ContainsFunc(list, func(e *scanner.Error) bool { return source.Absolute(e.Pos.Filename) == source.Absolute(path) })
	})
	if !free {
		return err
	}
	return selection.Hint(list, "-keep-going generates the other sources")
}
