package output

import (
	"go/build/constraint"
	"maps"
	"slices"
	"strings"
)

// Names of which a build has one each.
//
// Package go/build, Build Constraints; cmd/go, go tool dist list.
var (
	systems = []string{"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos"}
	archs   = []string{"386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle", "mips64", "mips64le", "mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x", "sparc", "sparc64", "wasm"}
)

// byName returns the constraint that the name of a Go file is: kernels_linux.go is for
// linux. It is nil for none.
func byName(file string) constraint.Expr {
	words := strings.Split(strings.TrimSuffix(file, ".go"), "_")
	var expr constraint.Expr
	last := len(words) - 1
	if last > 0 && slices.Contains(archs, words[last]) {
		expr = &constraint.TagExpr{Tag: words[last]}
		last--
	}
	if last > 0 && slices.Contains(systems, words[last]) {
		expr = and(&constraint.TagExpr{Tag: words[last]}, expr)
	}
	return expr
}

// and returns the conjunction of constraints, of which either may be nil.
func and(x, y constraint.Expr) constraint.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return &constraint.AndExpr{X: x, Y: y}
}

// maxTags is how many tags constraints may have of which all combinations are tried.
const maxTags = 12

// compatible reports whether two constraints can hold in one build. When in doubt they can.
func compatible(x, y constraint.Expr) bool {
	both := and(x, y)
	if both == nil {
		return true
	}
	tags := make(map[string]bool)
	collect(both, tags)
	names := slices.Sorted(maps.Keys(tags))
	if len(names) > maxTags {
		return true
	}
	for set := range 1 << len(names) {
		on := make(map[string]bool)
		for i, name := range names {
			on[name] = set&(1<<i) != 0
		}
		if possible(on) && both.Eval(func(tag string) bool { return on[tag] }) {
			return true
		}
	}
	return false
}

// collect adds the tags of x.
func collect(x constraint.Expr, tags map[string]bool) {
	switch x := x.(type) {
	case *constraint.TagExpr:
		tags[x.Tag] = true
	case *constraint.NotExpr:
		collect(x.X, tags)
	case *constraint.AndExpr:
		collect(x.X, tags)
		collect(x.Y, tags)
	case *constraint.OrExpr:
		collect(x.X, tags)
		collect(x.Y, tags)
	}
}

// possible reports whether a build can have these tags: one system, of which android is linux, too,
// and ios darwin, and one architecture.
func possible(on map[string]bool) bool {
	count := func(list []string) (n int) {
		for _, name := range list {
			if on[name] {
				n++
			}
		}
		return n
	}
	system := count(systems)
	if on["android"] && on["linux"] || on["ios"] && on["darwin"] || on["illumos"] && on["solaris"] {
		system--
	}
	return system <= 1 && count(archs) <= 1
}
