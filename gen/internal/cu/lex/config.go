package lex

// A Config says how source is read. The zero Config opens no file.
type Config struct {
	Include []string // folders that headers are looked for in: -I
	Define  []string // macros, as name or name=value: -D
	Macros  string   // #define and #undef after those of Define
	Std     string   // "c++17"; empty: what nvcc uses by default
	Arch    int      // the compute capability times ten that __CUDA_ARCH__ shows: 90; 0: the lowest of CUDA 13
	NVRTC   bool     // with the macros of NVRTC, and not those of nvcc

	// Read returns the text of a file, by the path that an #include and the folders
	// make: os.ReadFile, for example. Nobody may change the text afterwards. Any error
	// means that the file is not there. When Read is nil no header is found.
	Read func(path string) ([]byte, error)

	// Stop is asked now and then, unless it is nil. If it returns an error, Preprocess panics with a *Stopped.
	Stop func() error
}

// Stopped is what reading panics with if its caller no longer wants the result.
type Stopped struct{ Err error }

// deepestNesting limits what nests: conditions, macros, expressions.
const deepestNesting = 200
