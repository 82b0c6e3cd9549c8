package cuda

import (
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/params"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A BoundKernel is a kernel whose arguments are an Args, without generated code: see Bind. Any
// goroutine may call its methods.
type BoundKernel[Args any] struct {
	kernel *Kernel
	plan   *argsPlan
}

// Bind looks up the kernel with the given symbol in the image of l: a name that is extern "C",
// one of nvrtc's Compiled.Symbols, or any other .entry of PTX. Args is a struct with a field
// for each parameter, in order:
//
//	Slice[T], Ptr[T]                  T*
//	Symbol[T]                         T*, the address of a variable
//	int8 to int64, uint8 to uint64    integers of that width
//	float32, float64, bool            float, double, bool
//	vec.Float16, vec.Float4, …        __half, float4, …
//	Texture[T], Surface[T]            cudaTextureObject_t, cudaSurfaceObject_t
//	TensorMap                         CUtensorMap
//	ConditionalHandle                 cudaGraphConditionalHandle
//	structs and arrays                structs; their pointers are Ptr
//
// Fields of type Owner and []Owner are not parameters: they name what pointers inside of
// structs refer to. Types that are not the same in C++ are errors: int, strings, Go pointers
// and slices, and structs whose fields lie elsewhere than in C++.
//
// Bind compares the number of the parameters, their sizes and, except around structs, their
// offsets with what the driver knows (CUDA 12.4) or with the PTX. A difference is ErrABI. For a
// cubin on an older driver Bind returns ErrUnsupported. Types of equal size are not told apart,
// neither float32 from int32 nor a Slice of one type from one of another: that is up to the
// caller. The lengths of slices are not checked, since there are no directives. The zero Slice is an error,
// unless the field has the tag `cuda:"nullable"`: then it is NULL.
//
// CUDA Driver API, Library Management, cuLibraryGetKernel, cuKernelGetParamInfo.
func Bind[Args any](l *Library, symbol string) (*BoundKernel[Args], error) {
	plan, err := params.Of(reflect.TypeFor[Args](), &argsTypes)
	if err != nil {
		return nil, &Error{Op: bindOp, Kernel: symbol, Detail: err.Error(), Err: ErrInvalidValue}
	}
	k, err := l.bind(symbol, plan)
	if err != nil {
		return nil, err
	}
	return &BoundKernel[Args]{k, (*argsPlan)(plan)}, nil
}

// bindOp is what errors call Bind.
const bindOp = "bind kernel"

// bind looks up a kernel whose parameters are those of plan.
func (l *Library) bind(symbol string, plan *params.Plan) (*Kernel, error) {
	return l.lookUp(bindOp, Spec{Name: symbol, Symbol: symbol, Params: specsOf(plan)}, func(k driver.Kernel) error {
		asked, r := l.askParams(k)
		have, err := l.params(asked, r, bindOp, symbol, symbol)
		if err != nil {
			return err
		}
		if detail := plan.Differs(have); detail != "" {
			return &Error{Op: bindOp, Kernel: symbol, Device: l.dev.String(), Driver: l.dev.version, Detail: detail, Err: ErrABI}
		}
		return nil
	})
}

// Kernel returns the kernel, for its name, attributes and occupancy.
func (k *BoundKernel[Args]) Kernel() *Kernel {
	if k == nil {
		return nil
	}
	return k.kernel
}

// LaunchArgsWith enqueues the kernel on s with the launch configuration cfg. It reads args
// before it returns. The rules of generated kernels apply, but for lengths.
//
// CUDA Driver API, Execution Control, cuLaunchKernel.
func (k *BoundKernel[Args]) LaunchArgsWith(s *Stream, cfg LaunchConfig, args *Args) error {
	if k == nil || k.kernel == nil || args == nil {
		return notBound(k.Kernel())
	}
	err := k.plan.launch(k.kernel, s, &cfg, unsafe.Pointer(args))
	runtime.KeepAlive(args)
	return err
}

// notBound is the error of a launch with a nil or zero BoundKernel, or without arguments.
//
//go:noinline
func notBound(k *Kernel) error {
	if k == nil {
		return &Error{Op: "launch", Detail: "the kernel was not bound: use what Bind returned", Err: ErrInvalidValue}
	}
	return k.launchArgument("the arguments are nil", ErrInvalidValue)
}

// launch is Generated.Launch with the arguments at args. The driver reads each parameter where
// it lies in Args.
func (p *argsPlan) launch(k *Kernel, s *Stream, cfg *LaunchConfig, args unsafe.Pointer) error {
	if s == nil {
		return notLoaded(k)
	}
	turn := s.turn.Load() // before the owners are looked at
	users := uint64(allUsers)
	for i := range p.Slices {
		at := &p.Slices[i]
		if owner := *(**lifetime)(unsafe.Add(args, at.Owner)); owner != nil {
			users &= owner.users.Load()
		} else if at.Needed && *(*uint64)(unsafe.Add(args, at.Addr)) == 0 {
			users = 0
		}
	}
	special := s.word&^users | cfg.emptyGrid() | uint64(len(cfg.Owners)) | p.Special
	for _, at := range p.Named {
		special |= uint64(uintptr(*(*unsafe.Pointer)(unsafe.Add(args, at))))
	}
	for _, at := range p.Lists {
		special |= uint64(len(*(*[]Owner)(unsafe.Add(args, at))))
	}
	epoch := s.epoch.Load() // before the handles
	kernel, stream := k.handle(), driver.Stream(s.handle.Load())
	if special|uint64(uintptr(unsafe.Pointer(cfg.Attributes))|differ(k.native, s.dev)) == 0 && kernel != 0 && stream != 0 && cfg.SharedBytes < k.sharedEnd.Load() {
		r := libcuda.Launch(&libcuda.LaunchRecord{
			Target: &k.target,
			Stream: stream,
			Params: args,
			Config: (*libcuda.LaunchConfig)(unsafe.Pointer(cfg)),

			Attributes: nil,
		})
		epoch.release()
		if r|driver.Result(s.turn.Load()-turn) == driver.Success {
			return nil
		}
		return p.launched(k, s, cfg, args, r)
	}
	return p.launchSpecially(k, s, cfg, args)
}

// launched is Kernel.launched with the arguments at args.
//
//go:noinline
func (p *argsPlan) launched(k *Kernel, s *Stream, cfg *LaunchConfig, args unsafe.Pointer, r driver.Result) error {
	owners, _, _ := p.find(k, args)
	return k.launched(s, cfg, r, owners)
}

// launchSpecially is Kernel.launchSpecially with the arguments at args.
//
//go:noinline
func (p *argsPlan) launchSpecially(k *Kernel, s *Stream, cfg *LaunchConfig, args unsafe.Pointer) error {
	owners, named, err := p.find(k, args)
	if err != nil {
		return err
	}
	with := *cfg
	with.Owners = Generated.Owners(cfg.Owners, named)
	return k.launchSpecially(s, &with, false, args, owners)
}

// Prepare checks args and converts them, for launches with the launch configuration cfg.
func (k *BoundKernel[Args]) Prepare(cfg LaunchConfig, args Args) (*BoundCall[Args], error) {
	if k == nil || k.kernel == nil {
		return nil, k.Kernel().openFor("prepare")
	}
	call := &BoundCall[Args]{plan: k.plan, Call: Call{block: (*Args)(nil)}}
	if err := call.set(k.kernel, cfg, &args); err != nil {
		return nil, err
	}
	return call, nil
}

// A BoundCall is a prepared launch of a BoundKernel. One goroutine at a time may use it.
type BoundCall[Args any] struct {
	Call
	args    Args
	plan    *argsPlan
	scratch []argument
}

// Set checks and converts args for the launches that follow. On an error the call stays as it
// was.
func (c *BoundCall[Args]) Set(args Args) error {
	if c == nil || c.kernel == nil {
		return unprepared("set the arguments of a call")
	}
	return c.set(c.kernel, c.config, &args)
}

// Launch is Call.Launch.
func (c *BoundCall[Args]) Launch(s *Stream) error {
	if c == nil {
		return notReady(nil)
	}
	return c.Call.Launch(s)
}

// Kernel returns the kernel that c launches.
func (c *BoundCall[Args]) Kernel() *Kernel {
	if c == nil {
		return nil
	}
	return c.kernel
}

// Config returns the launch configuration.
func (c *BoundCall[Args]) Config() LaunchConfig {
	if c == nil {
		return LaunchConfig{}
	}
	return c.config
}

func (c *BoundCall[Args]) set(k *Kernel, cfg LaunchConfig, args *Args) error {
	at := unsafe.Pointer(args)
	list, named, err := c.plan.arguments(k, at, c.scratch[:0])
	if err != nil {
		return err
	}
	c.scratch = list
	if err := Generated.Prepare(&c.Call, k, cfg, false, unsafe.Pointer(&c.args), named, list...); err != nil {
		return err
	}
	c.args = *args
	return nil
}

// Clone returns a call of its own, for another goroutine.
func (c *BoundCall[Args]) Clone() *BoundCall[Args] {
	if c == nil {
		return nil
	}
	clone := &BoundCall[Args]{args: c.args, plan: c.plan}
	Generated.Clone(&clone.Call, &c.Call, unsafe.Pointer(&clone.args))
	return clone
}

// find returns the owners of the parameters that are Owned, and those that other fields name.
func (p *argsPlan) find(k *Kernel, args unsafe.Pointer) (owners, named []Owner, err error) {
	list, named, err := p.arguments(k, args, nil)
	for i := range list {
		owners = append(owners, Owner{list[i].owner})
	}
	return owners, named, err
}

// arguments appends to list the arguments at args that have owners, and returns the owners that
// other fields name.
func (p *argsPlan) arguments(k *Kernel, args unsafe.Pointer, list []argument) (_ []argument, named []Owner, err error) {
	for i := range p.Params {
		param := &p.Params[i]
		a := argument{align: param.ElemAlign}
		switch param.Kind {
		case params.SliceOf, params.Texture, params.Surface:
			a.owner, a.addr = *(**lifetime)(unsafe.Add(args, param.Owner)), *(*uint64)(unsafe.Add(args, param.At))
		case params.TensorMap:
			a.owner = *(**lifetime)(unsafe.Add(args, param.Owner))
		case params.Handle:
			a.owner = (*(*ConditionalHandle)(unsafe.Add(args, param.At))).Owner().lifetime
		case params.Symbol:
			lib := *(**Library)(unsafe.Add(args, param.Owner))
			if lib == nil {
				return nil, nil, k.launchArgument(param.Name+": "+notLoadedDetail, ErrInvalidValue)
			}
			a.owner, a.addr = &lib.life, *(*uint64)(unsafe.Add(args, param.At))
		default:
			continue
		}
		if a.owner == nil {
			a.owner = noObject[param.Kind]
		}
		list = append(list, a)
	}
	for _, at := range p.Named {
		if o := *(*Owner)(unsafe.Add(args, at)); o.lifetime != nil {
			named = append(named, o)
		}
	}
	for _, at := range p.Lists {
		named = slices.Concat(named, *(*[]Owner)(unsafe.Add(args, at)))
	}
	return list, named, nil
}

// noObject has the lifetimes of zero objects, in place of none.
var noObject = [...]*lifetime{params.Texture: noTexture, params.Surface: noSurface, params.TensorMap: noTensor}

// An argsPlan is the plan of an Args.
type argsPlan params.Plan

// argsTypes are the types of this package that an Args may have.
var argsTypes = params.Types{Owner: reflect.TypeFor[Owner](), Owners: reflect.TypeFor[[]Owner](), Address: func(t reflect.Type) (params.Address, bool) {
	if t.PkgPath() != reflect.TypeFor[Owner]().PkgPath() {
		return params.Address{}, false // which may embed one
	}
	if a, ok := reflect.Zero(t).Interface().(interface{ address() params.Address }); ok {
		return a.address(), true
	}
	return params.Address{}, false
}}

func (s Slice[T]) address() params.Address {
	return params.Address{Kind: params.SliceOf, At: unsafe.Offsetof(s.addr), Owner: unsafe.Offsetof(s.owner), Elem: reflect.TypeFor[T]()}
}

func (p Ptr[T]) address() params.Address {
	return params.Address{Kind: params.Scalar, At: unsafe.Offsetof(p.addr)}
}

func (v Symbol[T]) address() params.Address {
	return params.Address{Kind: params.Symbol, At: unsafe.Offsetof(v.addr), Owner: unsafe.Offsetof(v.lib)}
}

func (m TensorMap) address() params.Address {
	return params.Address{Kind: params.TensorMap, At: unsafe.Offsetof(m.opaque), Owner: unsafe.Offsetof(m.owner)}
}

func (t Texture[T]) address() params.Address {
	return params.Address{Kind: params.Texture, At: unsafe.Offsetof(t.handle), Owner: unsafe.Offsetof(t.owner)}
}

func (s Surface[T]) address() params.Address {
	return params.Address{Kind: params.Surface, At: unsafe.Offsetof(s.handle), Owner: unsafe.Offsetof(s.owner)}
}

func (h ConditionalHandle) address() params.Address { return params.Address{Kind: params.Handle} }

// specsOf returns the parameters where a launch has them: in Args.
func specsOf(p *params.Plan) (specs []ParamSpec) {
	for _, param := range p.Params {
		specs = append(specs, ParamSpec{
			Name: param.Name, Offset: uint32(param.At), Size: uint32(param.Size), Align: uint32(param.Align),
			Needed: param.Needed, Owned: param.Kind.IsOwned(), ElemAlign: uint32(param.ElemAlign),
		})
	}
	return specs
}
