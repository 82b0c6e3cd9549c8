package driver

// An EntryPoint is an entry point of the driver API, one for each method of Driver
// that has one. Its Name is the method's name with cu in front.
type EntryPoint uint8

// MinVersion is the oldest driver that cudagen works with, as cuDriverGetVersion
// counts: CUDA 12.0, which brought the cuLibrary functions.
const MinVersion = 12000

// A symbol is how libcuda exports an entry point.
//
// Names carry their suffix. cuda.h hides it behind macros, but the library still
// exports the older function, with another signature, under the name without one.
type symbol struct {
	name     string // as the manual has it
	exported string // as the library has it
	since    int    // the CUDA version that brought this form: 1000*major + 10*minor
	required bool   // no program can do without it
}

// Name returns the entry point's name in the CUDA Driver API manual.
func (e EntryPoint) Name() string { return symbols[e].name }

// Symbol returns the name under which libcuda exports the entry point: the manual's
// name with the suffix that cuda.h adds.
func (e EntryPoint) Symbol() string { return symbols[e].exported }

// Since returns the CUDA version that brought Symbol: 1000*major + 10*minor.
func (e EntryPoint) Since() int { return symbols[e].since }

// Required says whether a driver without Symbol is unusable. The others fail one
// call with ErrorCallRequiresNewerDriver when they are missing.
func (e EntryPoint) Required() bool { return symbols[e].required }
