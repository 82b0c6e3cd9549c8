package source

import (
	"errors"
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
)

// Several calls run for the sources at paths. If that fails for some of them, and keepGoing is set,
// it calls run again for the others. left has the errors.
//
// The sources are tried one by one, because an error may stand in a header: its position does not
// tell whose it is. What was compiled comes from the cache then.
func Several(paths []string, keepGoing bool, run func(paths []string) error) (left diag.List, err error) {
	err = run(paths)
	if err == nil || len(paths) < 2 || !OfSources(err) {
		return nil, err
	}
	if !keepGoing {
		return nil, passable(paths, err)
	}
	var good []string
	for _, path := range paths {
		switch failed := run([]string{path}); {
		case failed == nil:
			good = append(good, path)
		case OfSources(failed):
			left = append(left, Mistakes(path, failed)...)
		default:
			return nil, failed
		}
	}
	if len(good) == 0 || len(left) == 0 {
		return nil, err
	}
	return left, run(good)
}

// OfSources reports whether err is about sources, and not about all there is.
func OfSources(err error) bool {
	var list diag.List
	var one *Error
	return errors.As(err, &list) || errors.As(err, &one)
}

// passable returns err with a hint, when there are sources that none of its errors stands in.
func passable(paths []string, err error) error {
	list, ok := err.(diag.List)
	if !ok {
		return err
	}
	free := slices.ContainsFunc(paths, func(path string) bool {
		return !slices.ContainsFunc(list, func(e *diag.Error) bool { return Absolute(e.Pos.Filename) == Absolute(path) })
	})
	if !free {
		return err
	}
	return Hint(list, "-keep-going generates the other sources")
}

// Hint returns list with a hint in its first error.
func Hint(list diag.List, hint string) diag.List {
	hinted := slices.Clone(list)
	if len(list) > 0 {
		first := *list[0]
		first.Aside += " (" + hint + ")"
		hinted[0] = &first
	}
	return hinted
}
