package compile

import (
	"errors"
	"fmt"
	"strings"
)

// A backEnd is a kind of compiler, and how one is found. find returns a *NotFoundError
// when there is none.
type backEnd struct {
	name string
	find func(env func(string) string) (Compiler, error)
}

// backEnds are in the order in which they are looked for.
var backEnds = []backEnd{
	{"nvcc", FindNVCC},
	{"nvrtc", FindNVRTC},
	{"clang", FindClang},
}

// Names returns the names of the compilers that Find knows, in the order in which it
// looks for them.
func Names() []string {
	var names []string
	for _, b := range backEnds {
		names = append(names, b.name)
	}
	return names
}

// Find returns the compiler of the given name or, when name is empty, the first of
// Names that is there. What the user has named is never replaced by something else: a
// name that is not there is an error, and so is a variable such as $NVCC whose program
// cannot be run.
//
// env is os.Getenv or, in tests, a replacement.
func Find(name string, env func(string) string) (Compiler, error) {
	var missing []error
	for _, b := range backEnds {
		if name != "" && name != b.name {
			continue
		}
		c, err := b.find(env)
		if err == nil {
			return c, nil
		}
		var none *NotFoundError
		if !errors.As(err, &none) || none.Named {
			return nil, err
		}
		missing = append(missing, err)
	}
	switch len(missing) {
	case 0:
		return nil, fmt.Errorf("compiler %q: there is no such back end, only %s", name, strings.Join(Names(), ", "))
	case 1:
		return nil, missing[0]
	}
	return nil, errors.Join(missing...)
}
