package build

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// jobs are the compilations of one call, as many at a time as there are processors.
type jobs struct {
	ctx      context.Context
	compiler compile.Compiler
	cache    *buildcache.Cache // nil for none
	slots    chan struct{}

	// companion returns a faster compiler of the same toolkit, whose answers are taken
	// first; nil for none. It takes its time once, while the compiler works.
	companion func() compile.Compiler

	mu    sync.Mutex
	trace func([]string)

	running sync.RWMutex // held, for reading, by each compiler that runs
}

// wait returns when no compiler runs any more. Who waits for the cache does not wait for
// compilers that are being interrupted.
func (j *jobs) wait() {
	j.running.Lock()
	defer j.running.Unlock()
}

func newJobs(ctx context.Context, compiler compile.Compiler, trace func([]string)) *jobs {
	none := func() compile.Compiler { return nil }
	return &jobs{ctx: ctx, compiler: compiler, companion: none, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), trace: trace}
}

// compileAll compiles the unit for every target and, beside that, asks the compiler for layouts. ptx is the
// output for the first one, or nil.
// When compiling fails, the error is that for the first target: the others are mostly the
// same.
func (u *unit) compileAll(jobs *jobs, request compile.Request, archs []string, ptx *compile.Output) (*build, error) {
	b := &build{Outputs: make([]*compile.Output, len(archs))}
	errs := make([]error, len(archs)+1)
	var wait sync.WaitGroup
	for i, arch := range archs {
		if i == 0 && ptx != nil {
			b.Outputs[0] = ptx
			continue
		}
		wait.Go(func() {
			one := request
			one.Arch = arch
			b.Outputs[i], errs[i] = u.compileOne(jobs, one, i == 0)
		})
	}
	wait.Go(func() { errs[len(archs)] = u.ask(jobs, request, archs[0], b) })
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ask makes the extra compilation: by the companion, when there is one that can, and
// otherwise by the compiler itself.
func (u *unit) ask(jobs *jobs, request compile.Request, arch string, b *build) error {
	asking := question(request, arch)
	if companion := u.companion(jobs, request, arch); companion != nil {
		for _, flags := range [][]string{{"-minimal"}, nil} { // a third less time, for sources that need no textures
			one := asking
			one.Flags = slices.Concat(asking.Flags, flags)
			answered, refusals, err := jobs.inquire(companion, one, compare.QuestionsOf(u.sel))
			if err == nil {
				b.Answered, b.Refusals, b.Companion = answered, refusals, true
				return nil
			}
			if jobs.ctx.Err() != nil {
				return err
			}
		}
	}
	asking.Declared = true
	err := u.askCompiler(jobs, asking, b)
	if errors.Is(err, compile.ErrNoDebug) {
		return nil
	}
	return err
}

// question returns the request for the extra compilation.
func question(request compile.Request, arch string) compile.Request {
	request.Arch, request.Debug, request.LineInfo = arch, true, false
	return request
}

// maxInquiries limits how often questions are put in other ways.
const maxInquiries = 8

// inquire compiles req with questions behind it. While the compiler refuses some of them and
// nothing else, they are put in other ways or left out; refusals says which. What is refused of a source of
// which only declarations count is compiled whole.
func (j *jobs) inquire(compiler compile.Compiler, req compile.Request, q *compare.Questions) (answered *compile.Output, refusals []diag.List, err error) {
	suffix := req.Suffix
	for len(refusals) < maxInquiries {
		in := q.Inquiry()
		in.Signatures = req.Declared
		req.Suffix = suffix + in.Source()
		answered, err = j.compileWith(compiler, req)
		errs, refused := err.(diag.List)
		var failed *compile.FailedError
		switch {
		case refused && in.Refused(errs) && !(req.Declared && in.RefusedKernel(errs)):
			q.Refuse(in, errs)
			refusals = append(refusals, errs)
		case req.Declared && (refused || errors.As(err, &failed)):
			req.Declared = false
		default:
			return answered, refusals, err
		}
	}
	return answered, refusals, err
}

// companion returns the compiler to ask first, nil for none. Where a macro that cudagen and it
// take for what it is not decides what the source says, they agree and both are wrong: so the
// compiler is asked for the macros first.
func (u *unit) companion(jobs *jobs, request compile.Request, arch string) compile.Compiler {
	companion := jobs.companion()
	if companion == nil {
		return nil
	}
	if len(u.sel.File.Environment) == 0 {
		return companion
	}
	request.Arch = arch
	names := make([]string, len(u.sel.File.Environment))
	for i, a := range u.sel.File.Environment {
		names[i] = a.Macro
	}
	definitions, err := jobs.definitions(request, names)
	if err != nil || !u.assumed(definitions) {
		return nil
	}
	return companion
}

// assumed reports whether the macros that u's file was read with have the definitions given.
// Definitions in files that were read do not count.
func (u *unit) assumed(definitions []compile.Definition) bool {
	read := map[string]bool{source.Absolute(u.place.Path): true}
	for _, header := range u.sel.File.Headers {
		read[source.Absolute(header)] = true
	}
	bodies := make(map[string][]string)
	for _, d := range definitions {
		if !read[d.File] {
			bodies[d.Macro] = append(bodies[d.Macro], d.Body)
		}
	}
	for _, a := range u.sel.File.Environment {
		others := slices.DeleteFunc(slices.Clone(bodies[a.Macro]), func(body string) bool { return a.Defined && body == a.Body })
		if len(others) > 0 || a.Defined != (len(bodies[a.Macro]) > 0) {
			return false
		}
	}
	return true
}

// askCompiler makes the extra compilation by the compiler itself. Questions that are refused for
// a reason which is not theirs must not cost the other witness: then nothing is asked. The source
// itself may be refused, too, where debug information selects other code; when it is wrong, the
// other compilations fail.
func (u *unit) askCompiler(jobs *jobs, asking compile.Request, b *build) error {
	answered, refusals, err := jobs.inquire(jobs.compiler, asking, compare.QuestionsOf(u.sel))
	notAsked := ""
	if refused, ok := err.(diag.List); ok {
		notAsked, asking.Declared = refused.Error(), false
		answered, err = jobs.compile(asking)
	}
	var failed *compile.FailedError
	switch refused, ok := err.(diag.List); {
	case err == nil:
		b.Answered, b.Refusals, b.NotAsked, b.Companion = answered, refusals, notAsked, false
	case ok:
		b.NoAnswers = refused.Error()
	case errors.As(err, &failed):
		b.NoAnswers = failed.Error()
	default:
		return err
	}
	return nil
}

// compile compiles one source for one target when it is its turn.
func (j *jobs) compile(req compile.Request) (*compile.Output, error) {
	return j.compileWith(j.compiler, req)
}

func (j *jobs) compileWith(compiler compile.Compiler, req compile.Request) (out *compile.Output, err error) {
	err = j.inTurn(&req, func() error {
		out, err = compiler.Compile(j.ctx, req)
		return err
	})
	return out, err
}

// definitions asks the compiler for definitions of macros, if it supports that.
func (j *jobs) definitions(req compile.Request, names []string) (list []compile.Definition, err error) {
	preprocessor, ok := j.compiler.(compile.Preprocessor)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	err = j.inTurn(&req, func() error {
		list, err = preprocessor.Definitions(j.ctx, req, names)
		return err
	})
	return list, err
}

// inTurn has the compiler run for req when a processor is free.
func (j *jobs) inTurn(req *compile.Request, run func() error) error {
	select {
	case j.slots <- struct{}{}:
		defer func() { <-j.slots }()
	case <-j.ctx.Done():
		return context.Cause(j.ctx)
	}
	j.running.RLock()
	defer j.running.RUnlock()
	if j.ctx.Err() != nil {
		return context.Cause(j.ctx)
	}
	if j.trace != nil {
		req.Trace = func(command []string) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.trace(command)
		}
	}
	return run()
}

// pack puts machine code into one fatbin.
func (j *jobs) pack(machine []*compile.Output) (fatbin []byte, archs []string, err error) {
	var cubins []image.Cubin
	var code [][]byte
	for _, out := range machine {
		cubins = append(cubins, image.Cubin{Arch: out.Arch, Code: out.Code})
		archs, code = append(archs, out.Arch), append(code, out.Code)
	}
	fatbin, err = image.Pack(cubins)
	if packer, ok := j.compiler.(compile.Packer); ok && errors.Is(err, image.ErrNewArch) {
		fatbin, err = packer.Pack(j.ctx, archs, code)
	}
	return fatbin, archs, err
}
