package sim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"go/scanner"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// imageName stands for the file in messages about a PTX image.
const imageName = "image.ptx"

// A library is a loaded PTX module.
type library struct {
	target     int // of the PTX: 75 for sm_75
	capability int // of the device
	kernels    map[string]*kernel
	handles    map[string]driver.Kernel
	variables  []*moduleVar

	mu  sync.Mutex
	log string // why variables were refused; under mu
}

// A moduleVar is a variable of a module, in device memory.
type moduleVar struct {
	decl    *ptx.Var
	address uint64
	image   []byte // its initial bytes

	unsupported string // why it is not as the module declares it, or empty
}

// loaded is the kernel of a driver.Kernel.
type loaded struct {
	*kernel
	lib   *library
	title atomic.Pointer[string] // what Simulation.Name was told
}

// refusal is why an image cannot be loaded.
type refusal struct {
	result driver.Result
	log    string
}

// LibraryLoadData decodes the whole module. PTX that is wrong is refused, as a device's
// compiler would. What the simulated device does not support is an error of the launch of
// the kernel that has it.
func (d *device) LibraryLoadData(image []byte) (driver.Library, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return 0, r
	}
	lib, refused := loadAs(imageName, image, d.mem, d.capability())
	d.mu.Lock()
	defer d.mu.Unlock()
	if refused != nil {
		unused := driver.Library(handle())
		d.refused[unused] = refused.log
		return unused, refused.result
	}
	created := driver.Library(handle())
	d.libraries[created] = lib
	d.coverLibrary(lib)
	return created, driver.Success
}

// load decodes image and places its variables in mem.
func load(image []byte, mem *memory) (*library, *refusal) {
	return loadAs(imageName, image, mem, ownCapability)
}

// loadAs is load of an image that messages call name, on a device of a compute capability, or of any if that is 0.
func loadAs(name string, image []byte, mem *memory, capability int) (*library, *refusal) {
	for _, other := range []struct{ magic, name string }{{"\x7fELF", "cubin"}, {"\x50\xed\x55\xba", "fatbin"}} {
		if bytes.HasPrefix(image, []byte(other.magic)) {
			return nil, &refusal{driver.ErrorNoBinaryForGPU, "the simulated device executes PTX, and this image is a " + other.name + ": load the PTX"}
		}
	}
	m, err := ptx.Parse(name, image)
	if err != nil {
		return nil, &refusal{driver.ErrorInvalidPTX, text(err)}
	}
	target, refused := suits(name, m, capability)
	if refused != nil {
		return nil, refused
	}
	lib := &library{target: target, capability: capability, kernels: make(map[string]*kernel), handles: make(map[string]driver.Kernel)}
	errs := &problems{}
	globals, ok := lib.declare(m, mem, errs)
	if !ok {
		lib.release(mem)
		return nil, &refusal{driver.ErrorOutOfMemory, "the module's variables do not fit into device memory"}
	}
	mod := functionsOf(m, globals)
	mod.target = target
	for _, f := range m.Funcs {
		if f.Entry && f.Body != nil {
			lib.kernels[f.Name] = decode(f, mod, errs)
		}
	}
	if err := errs.err(); err != nil {
		lib.release(mem)
		return nil, &refusal{driver.ErrorInvalidPTX, text(err)}
	}
	return lib, nil
}

// text is err with one error to a line.
func text(err error) string {
	var b strings.Builder
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return err.Error()
	}
	for _, e := range list {
		fmt.Fprintln(&b, e)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// suits returns the number of the module's target, 75 for sm_75, or why the module is for
// another device than one of a compute capability.
//
// PTX ISA, PTX Module Directives: .target. Targets with a run on that capability alone, those with f on
// later ones of its family, too.
func suits(name string, m *ptx.Module, capability int) (target int, r *refusal) {
	if m.Version.Major > maxPTXMajor {
		return 0, &refusal{driver.ErrorUnsupportedPTXVersion, fmt.Sprintf("%s: unsupported .version %d.%d; the simulated device reads up to %d.x",
			name, m.Version.Major, m.Version.Minor, maxPTXMajor)}
	}
	if m.AddressSize != 64 {
		return 0, &refusal{driver.ErrorInvalidPTX, name + ": .address_size is not 64"}
	}
	for _, target := range m.Target {
		digits, isSM := strings.CutPrefix(target, "sm_")
		if !isSM {
			continue
		}
		plain := strings.TrimRight(digits, "af")
		n, err := strconv.Atoi(plain)
		own := capability
		if own == 0 && err == nil {
			own = n
		}
		switch kind := digits[len(plain):]; {
		case err == nil && (kind == "" && n <= own || kind == "a" && n == own || kind == "f" && n <= own && n/10 == own/10):
			return n, nil
		}
		return 0, &refusal{driver.ErrorNoBinaryForGPU, fmt.Sprintf("%s: .target %s is not for the simulated device, which is an sm_%d%s", name, target, own, elsewhere(n))}
	}
	return 0, &refusal{driver.ErrorInvalidPTX, name + ": .target names no sm_"}
}

// elsewhere says how a test gets a device that modules for sm_n run on.
func elsewhere(n int) string {
	if !slices.Contains(driver.SimulatedCapabilities[:], n) {
		return ""
	}
	return fmt.Sprintf(": compile for compute_%d, too, or give a test a device by simtest.Capability(%d, %d)", ownCapability, n/10, n%10)
}

// declare places the module's variables and returns where they are. A variable that is not
// supported is an error of the kernels that use it.
func (lib *library) declare(m *ptx.Module, mem *memory, errs *problems) (globals map[string]symbol, ok bool) {
	globals = make(map[string]symbol)
	constants := int64(0)
	for _, v := range m.Vars {
		invalid := func(format string, args ...any) {
			errs.add(problem{pos: v.Pos, text: fmt.Sprintf(format, args...), invalid: true})
		}
		if _, twice := globals[v.Name]; twice {
			invalid("%s is declared twice", v.Name)
			continue
		}
		size, sized := v.Size()
		switch {
		case v.Space == "shared" && (sized || v.Linkage == ptx.Extern):
			globals[v.Name] = symbol{space: shared, unbound: v}
		case v.Space != "global" && v.Space != "const":
			globals[v.Name] = symbol{unsupported: fmt.Sprintf("variable %s in .%s", v.Name, v.Space)}
		case v.Linkage == ptx.Extern:
			globals[v.Name] = symbol{unsupported: fmt.Sprintf("variable %s of another module", v.Name)}
		case !sized || v.Type == "texref" || v.Type == "samplerref" || v.Type == "surfref":
			globals[v.Name] = symbol{unsupported: fmt.Sprintf("variable %s of type .%s", v.Name, v.Type)}
		default:
			s := global
			if v.Space == "const" {
				s = constant
				constants += size
			}
			address, ok := mem.alloc(uint64(max(size, 1)), allocation{constant: s == constant, module: true, variable: true, from: provenance{name: v.Name}})
			if !ok {
				return nil, false
			}
			globals[v.Name] = symbol{space: s, address: address}
			lib.variables = append(lib.variables, &moduleVar{decl: v, address: address, image: make([]byte, size)})
		}
		if constants > maxConstantBytes {
			invalid(".const variables exceed %d bytes", maxConstantBytes)
			constants = 0
		}
	}
	declareFunctions(m, globals)
	for _, v := range lib.variables {
		n := &initializer{v.decl, globals, &problems{}}
		n.fill(v.image, v.decl.Init, v.decl.Dims)
		errs.addInvalid(n.errs)
		if v.unsupported = n.errs.unsupported(); v.unsupported != "" {
			sym := globals[v.decl.Name]
			sym.unsupported = n.errs.list[0].text
			globals[v.decl.Name] = sym
		}
		v.initialize()
	}
	return globals, true
}

// declareFunctions adds the functions of m to globals. The address of a kernel, or of a function
// of another module, cannot be used.
func declareFunctions(m *ptx.Module, globals map[string]symbol) {
	defined := 0
	for _, f := range m.Funcs {
		known, isKnown := globals[f.Name]
		if isKnown && known.function != functionDeclared {
			continue
		}
		sym := symbol{space: code, function: functionDeclared, unsupported: "the address of function " + f.Name}
		if f.Body != nil {
			sym.function = functionDefined
		}
		if f.Body != nil && !f.Entry {
			sym.unsupported, sym.address = "", functionAddress(defined)
			defined++
		}
		globals[f.Name] = sym
	}
	for _, alias := range m.Aliases {
		if sym, known := globals[alias.Target]; known && sym.function == functionDefined {
			globals[alias.Name] = sym
		}
	}
}

func (v *moduleVar) initialize() {
	if dst, ok := memoryOf(v.address, uint64(len(v.image))); ok {
		copy(dst, v.image)
	}
}

// place gives lib's variables memory and their initial values again.
func (lib *library) place(mem *memory) {
	for _, v := range lib.variables {
		mem.renew(v.address)
		v.initialize()
	}
}

func (lib *library) release(mem *memory) {
	for _, v := range lib.variables {
		mem.release(v.address)
	}
}

// An initializer writes the initial value of a variable.
//
// PTX ISA, Variables, Initializers.
type initializer struct {
	v       *ptx.Var
	globals map[string]symbol
	errs    *problems
}

func (n *initializer) invalid(format string, args ...any) {
	n.errs.add(problem{pos: n.v.Pos, text: fmt.Sprintf(format, args...), invalid: true})
}

func (n *initializer) unsupported(format string, args ...any) {
	n.errs.add(problem{pos: n.v.Pos, text: fmt.Sprintf(format, args...)})
}

// fill writes values, the elements of an array of the given dimensions, into image.
// What they leave out is zero.
func (n *initializer) fill(image []byte, values []ptx.Operand, dims []int64) {
	elem := n.v.Type.Size()
	if len(dims) > 1 || len(dims) == 1 && n.v.Vector > 0 {
		elem = len(image) / int(max(1, dims[0]))
		dims = dims[1:]
	}
	for _, value := range values {
		if len(image) < elem || elem == 0 {
			n.invalid("%s has more initial values than elements", n.v.Name)
			return
		}
		if row, ok := value.(ptx.Vector); ok {
			if elem == n.v.Type.Size() {
				n.invalid("the initial value of %s is nested too deep", n.v.Name)
				return
			}
			n.fill(image[:elem], row.Elems, dims)
		} else if elem != n.v.Type.Size() {
			n.unsupported("the initial value of %s without inner braces", n.v.Name)
			return
		} else {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], n.bits(value))
			copy(image[:elem], word[:])
		}
		image = image[elem:]
	}
}

// bits returns one element.
func (n *initializer) bits(value ptx.Operand) uint64 {
	switch value := value.(type) {
	case ptx.Imm:
		if !isFloat(n.v.Type) {
			return value.Value
		}
	case ptx.Float:
		d := &decoder{errs: n.errs, pos: n.v.Pos}
		return d.float(value, n.v.Type)
	case ptx.Symbol:
		return n.address(value)
	case ptx.Generic:
		return n.address(value.Symbol)
	case ptx.Mask:
		if sym, ok := value.Value.(ptx.Symbol); ok && value.Mask != 0 {
			return n.addressIn(sym, 8) & value.Mask >> bits.TrailingZeros64(value.Mask)
		}
	}
	n.unsupported("the initial value of %s", n.v.Name)
	return 0
}

// address is that of a variable, the same in its space and as a generic address.
func (n *initializer) address(sym ptx.Symbol) uint64 { return n.addressIn(sym, n.v.Type.Size()) }

// addressIn is address where there are size bytes for it.
func (n *initializer) addressIn(sym ptx.Symbol, size int) uint64 {
	v, ok := n.globals[sym.Name]
	if !ok || v.space != global && v.space != constant && v.space != code || v.unsupported != "" || size != 8 {
		n.unsupported("%s in the initial value of %s", sym.Name, n.v.Name)
	}
	return v.address + uint64(sym.Offset)
}

// LibraryUnload frees the library's variables. Launches that were enqueued keep the
// code that they need.
func (d *device) LibraryUnload(handle driver.Library) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	lib := d.libraries[handle]
	if lib == nil {
		return driver.ErrorInvalidHandle
	}
	delete(d.libraries, handle)
	for _, k := range lib.handles {
		delete(d.kernels, k)
	}
	lib.release(d.mem)
	return driver.Success
}

func (d *device) LibraryGetKernel(in driver.Library, name string) (driver.Kernel, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	lib := d.libraries[in]
	if lib == nil {
		return 0, driver.ErrorInvalidHandle
	}
	k := lib.kernels[name]
	if k == nil {
		return 0, driver.ErrorNotFound
	}
	if h, ok := lib.handles[name]; ok {
		return h, driver.Success
	}
	h := driver.Kernel(handle())
	lib.handles[name] = h
	d.kernels[h] = &loaded{kernel: k, lib: lib}
	return h, driver.Success
}

// LibraryLog also has the reason why a variable was refused.
func (d *device) LibraryLog(handle driver.Library) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ok := d.refused[handle]; ok {
		delete(d.refused, handle)
		return text
	}
	if lib := d.libraries[handle]; lib != nil {
		lib.mu.Lock()
		defer lib.mu.Unlock()
		return lib.log
	}
	return ""
}

// Unsupported implements driver.Simulation.
func (d *device) Unsupported(handle driver.Kernel) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[handle]; k != nil {
		return k.unsupported
	}
	return ""
}

// Name implements driver.Simulation.
func (d *device) Name(handle driver.Kernel, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[handle]; k != nil {
		k.title.Store(&name)
	}
}

// launchable is kernel for kernels that can be launched.
func (d *device) launchable(handle driver.Kernel) (*loaded, driver.Result) {
	k, r := d.kernel(handle)
	if r == driver.Success && k.unsupported != "" {
		return nil, driver.ErrorNotSupported
	}
	return k, r
}

func (d *device) kernel(handle driver.Kernel) (*loaded, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return nil, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.kernels[handle]
	if k == nil {
		return nil, driver.ErrorInvalidHandle
	}
	return k, driver.Success
}

func (d *device) KernelGetParamInfo(handle driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	k, r := d.kernel(handle)
	if r != driver.Success {
		return 0, 0, r
	}
	if index < 0 || index >= len(k.params) {
		return 0, 0, driver.ErrorInvalidValue
	}
	return k.params[index].offset, k.params[index].size, driver.Success
}

func (d *device) KernelGetAttribute(attr driver.FunctionAttribute, handle driver.Kernel, dev driver.Device) (int, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	k, r := d.kernel(handle)
	if r != driver.Success {
		return 0, r
	}
	switch attr {
	case driver.FuncSharedSizeBytes, driver.FuncLocalSizeBytes, driver.FuncNumRegs, driver.FuncMaxDynamicSharedBytes:
		if k.unsupported != "" {
			return 0, driver.ErrorNotSupported
		}
	}
	switch attr {
	case driver.FuncMaxThreadsPerBlock:
		return int(k.maxThreads), driver.Success
	case driver.FuncSharedSizeBytes:
		return int(k.sharedBytes), driver.Success
	case driver.FuncConstSizeBytes:
		return k.lib.constantBytes(), driver.Success
	case driver.FuncLocalSizeBytes:
		return int(k.localBytes), driver.Success
	case driver.FuncNumRegs:
		return k.regs, driver.Success
	case driver.FuncPTXVersion:
		return k.lib.target, driver.Success
	case driver.FuncBinaryVersion:
		return k.lib.capability, driver.Success
	case driver.FuncMaxDynamicSharedBytes:
		return int(k.maxDynamicShared()), driver.Success
	case driver.FuncSharedCarveout:
		return int(k.carveout.Load()) - 1, driver.Success
	case driver.FuncNonPortableCluster:
		if k.nonPortableCluster.Load() {
			return 1, driver.Success
		}
		return 0, driver.Success
	case driver.FuncClusterMustBeSet:
		return int(bit(k.explicitCluster)), driver.Success
	case driver.FuncRequiredClusterX:
		return int(k.requiredCluster.X), driver.Success
	case driver.FuncRequiredClusterY:
		return int(k.requiredCluster.Y), driver.Success
	case driver.FuncRequiredClusterZ:
		return int(k.requiredCluster.Z), driver.Success
	}
	return 0, driver.ErrorInvalidValue
}

func (lib *library) constantBytes() (n int) {
	for _, v := range lib.variables {
		if v.decl.Space == "const" {
			n += len(v.image)
		}
	}
	return n
}
