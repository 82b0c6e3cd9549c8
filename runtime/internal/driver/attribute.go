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
	MaxRegistersPerBlock       DeviceAttribute = 12
	MultiprocessorCount        DeviceAttribute = 16
	ComputeCapabilityMajor     DeviceAttribute = 75
	ComputeCapabilityMinor     DeviceAttribute = 76
	MaxSharedMemoryPerBlockOpt DeviceAttribute = 97
	CooperativeLaunch          DeviceAttribute = 95
	MemoryPoolsSupported       DeviceAttribute = 115
	ClusterLaunch              DeviceAttribute = 120
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
	FuncMaxDynamicSharedBytes FunctionAttribute = 8  // can be set
	FuncSharedCarveout        FunctionAttribute = 9  // can be set: percent, or -1
	FuncClusterMustBeSet      FunctionAttribute = 10 // of a kernel that only runs in clusters
	FuncRequiredClusterX      FunctionAttribute = 11 // of __cluster_dims__; 0 when absent
	FuncRequiredClusterY      FunctionAttribute = 12
	FuncRequiredClusterZ      FunctionAttribute = 13
	FuncNonPortableCluster    FunctionAttribute = 14 // can be set: 1 allows clusters of more than 8 blocks
)
