package driver

// A DeviceAttribute is a CUdevice_attribute.
type DeviceAttribute int32

// Device attributes that cudagen reads. CUDA Driver API, CUdevice_attribute.
const (
	MaxThreadsPerBlock         DeviceAttribute = 1
	MaxBlockDimX               DeviceAttribute = 2
	MaxBlockDimY               DeviceAttribute = 3
	MaxBlockDimZ               DeviceAttribute = 4
	MaxGridDimX                DeviceAttribute = 5
	MaxGridDimY                DeviceAttribute = 6
	MaxGridDimZ                DeviceAttribute = 7
	MaxSharedMemoryPerBlock    DeviceAttribute = 8
	WarpSize                   DeviceAttribute = 10
	MultiprocessorCount        DeviceAttribute = 16
	ComputeCapabilityMajor     DeviceAttribute = 75
	ComputeCapabilityMinor     DeviceAttribute = 76
	MaxSharedMemoryPerBlockOpt DeviceAttribute = 97
	MemoryPoolsSupported       DeviceAttribute = 115
)

// A FunctionAttribute is a CUfunction_attribute.
type FunctionAttribute int32

// Function attributes that cudagen reads. CUDA Driver API, CUfunction_attribute.
const (
	FuncMaxThreadsPerBlock    FunctionAttribute = 0
	FuncSharedSizeBytes       FunctionAttribute = 1
	FuncConstSizeBytes        FunctionAttribute = 2
	FuncLocalSizeBytes        FunctionAttribute = 3
	FuncNumRegs               FunctionAttribute = 4
	FuncPTXVersion            FunctionAttribute = 5
	FuncBinaryVersion         FunctionAttribute = 6
	FuncMaxDynamicSharedBytes FunctionAttribute = 8
)
