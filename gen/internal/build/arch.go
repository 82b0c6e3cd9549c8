package build

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// ofArch matches what compilers say of code that an architecture lacks something for: names are those of
// CUDA's headers. perhapsArch matches what may be about it if the source asks for the architecture, and
// ofOneArch what only one architecture may have.
var (
	ofArch = regexp.MustCompile(`not supported (?:for this GPU|on \.target)|requires \.target|compute capability|\b(?:sm|compute|SM)_?\d\d|` +
		`(?:identifier "|undeclared identifier '|overloaded function "|function ')(?:__|atomic|cuda|nv)|namespace "(?:cooperative_groups|cuda|nvcuda)[\w:]*" has no member`)
	perhapsArch = regexp.MustCompile(`#error|static assertion failed|__CUDA_ARCH__`)
	ofOneArch   = regexp.MustCompile(`on \.target|requires \.target|wgmma|tcgen05|setmaxnreg`)
)

// namedArch matches the architecture that ptxas asks for.
var namedArch = regexp.MustCompile(`requires \.target sm_(\d+[af]?)`)

// plainArchs are the architectures that code is tried for, ascending, and specialArchs those that no later
// one replaces.
//
// PTX ISA, PTX Module Directives: .target.
var (
	plainArchs   = []string{"80", "86", "89", "90", "100", "120"}
	specialArchs = []string{"90a", "100a", "120a"}
)

// withArch returns err, which is what a compiler says of the unit for archs, with the smallest architecture
// for which it takes the code, if it seems to be about that.
func (u *unit) withArch(jobs *jobs, archs []string, err error) error {
	var list diag.List
	var failed *compile.FailedError
	kind, text := "compute", ""
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			text += e.Message.Error() + "\n"
		}
	case errors.As(err, &failed):
		kind, text = "sm", failed.Log
	}
	about := func(text string) bool {
		return ofArch.MatchString(text) || u.sel.File.Arch && perhapsArch.MatchString(text)
	}
	if !about(text) || jobs.ctx.Err() != nil || u.options.DryRun {
		return err
	}
	found := u.leastArch(jobs, kind, source.Arch(archs[0]), text)
	if found == "" {
		return err
	}
	if virtual := !slices.ContainsFunc(archs, func(arch string) bool { return strings.HasPrefix(arch, "sm_") }); virtual {
		found = strings.Replace(found, "sm_", "compute_", 1)
	}
	remedy := diag.Do("give -arch %s", found)
	hint := diag.Message{Text: fmt.Sprintf("; it compiles for %s: %s", found, remedy), Remedy: remedy}
	if failed != nil {
		failed.Reason, failed.Err = failed.Reason+hint.Text, errors.Join(failed.Err, remedy)
		return err
	}
	at := slices.IndexFunc(list, func(e *diag.Error) bool { return about(e.Message.Error()) })
	list[at].Add(hint)
	return list
}

// leastArch returns the smallest architecture of a kind, above that of a compute capability times ten, for
// which the unit compiles; "" if there is none.
func (u *unit) leastArch(jobs *jobs, kind string, above int, text string) string {
	request := compile.Request{
		Source: u.place.Path, Dir: u.place.Module, Flags: slices.Concat(u.place.CompileFlags(&u.options.Source), u.options.CompilerFlags), Suffix: u.sel.Instantiations(),
	}
	quiet := newJobs(jobs.ctx, jobs.compiler, nil)
	compiles := func(arch string) bool {
		one := request
		one.Arch = kind + "_" + arch
		_, err := quiet.compile(one)
		return err == nil
	}
	candidates := slices.DeleteFunc(slices.Clone(plainArchs), func(arch string) bool { return source.Arch("sm_"+arch) <= above })
	for _, m := range namedArch.FindAllStringSubmatch(text, -1) { // ptxas knows
		candidates = slices.DeleteFunc(candidates, func(arch string) bool {
			return source.Arch("sm_"+arch) < source.Arch("sm_"+strings.TrimRight(m[1], "af"))
		})
	}
	if n := len(candidates); n > 0 && compiles(candidates[n-1]) {
		least, _ := slices.BinarySearchFunc(candidates[:n-1], true, func(arch string, _ bool) int {
			if compiles(arch) {
				return 0
			}
			return -1
		})
		return kind + "_" + candidates[least]
	}
	for _, arch := range specialArchs {
		if ofOneArch.MatchString(text) && source.Arch("sm_"+strings.TrimRight(arch, "a")) > above && compiles(arch) {
			return kind + "_" + arch
		}
	}
	return ""
}
