package driver

import "unsafe"

// A DeviceAttribute is a CUdevice_attribute.
type DeviceAttribute int32

// Device attributes that cudagen reads. CUDA Driver API, CUdevice_attribute.
const (
	MaxThreadsPerBlock          DeviceAttribute = 1
	MaxBlockDimX                DeviceAttribute = 2
	MaxBlockDimY                DeviceAttribute = 3
	MaxBlockDimZ                DeviceAttribute = 4
	MaxGridDimX                 DeviceAttribute = 5
	MaxGridDimY                 DeviceAttribute = 6
	MaxGridDimZ                 DeviceAttribute = 7
	MaxSharedMemoryPerBlock     DeviceAttribute = 8
	WarpSize                    DeviceAttribute = 10
	MaxRegistersPerBlock        DeviceAttribute = 12
	MultiprocessorCount         DeviceAttribute = 16
	MaxThreadsPerMultiprocessor DeviceAttribute = 39
	ComputeCapabilityMajor      DeviceAttribute = 75
	ComputeCapabilityMinor      DeviceAttribute = 76
	UnifiedAddressing           DeviceAttribute = 41
	ManagedMemory               DeviceAttribute = 83
	ConcurrentManagedAccess     DeviceAttribute = 89
	MaxSharedMemoryPerBlockOpt  DeviceAttribute = 97
	CooperativeLaunch           DeviceAttribute = 95
	MemoryPoolsSupported        DeviceAttribute = 115
	ClusterLaunch               DeviceAttribute = 120

	TotalConstantMemory              DeviceAttribute = 9
	MaxPitch                         DeviceAttribute = 11
	KernelExecutionTimeout           DeviceAttribute = 17
	Integrated                       DeviceAttribute = 18
	CanMapHostMemory                 DeviceAttribute = 19
	ComputeMode                      DeviceAttribute = 20
	ConcurrentKernels                DeviceAttribute = 31
	CanGatherTextures                DeviceAttribute = 44
	StreamPrioritiesSupported        DeviceAttribute = 78
	MaxSharedMemoryPerMultiprocessor DeviceAttribute = 81
	MaxRegistersPerMultiprocessor    DeviceAttribute = 82
	HostRegisterSupported            DeviceAttribute = 99
	MaxBlocksPerMultiprocessor       DeviceAttribute = 106
	ReservedSharedMemoryPerBlock     DeviceAttribute = 111
	TensorMapsSupported              DeviceAttribute = 127
)

// Limits of textures and surfaces. CUDA Driver API, CUdevice_attribute.
const (
	TextureAlignment           DeviceAttribute = 14
	MaxTexture1DWidth          DeviceAttribute = 21
	MaxTexture2DWidth          DeviceAttribute = 22
	MaxTexture2DHeight         DeviceAttribute = 23
	MaxTexture3DWidth          DeviceAttribute = 24
	MaxTexture3DHeight         DeviceAttribute = 25
	MaxTexture3DDepth          DeviceAttribute = 26
	MaxTexture2DLayeredWidth   DeviceAttribute = 27
	MaxTexture2DLayeredHeight  DeviceAttribute = 28
	MaxTexture2DLayers         DeviceAttribute = 29
	MaxTexture1DLayeredWidth   DeviceAttribute = 42
	MaxTexture1DLayers         DeviceAttribute = 43
	MaxTexture2DGatherWidth    DeviceAttribute = 45
	MaxTexture2DGatherHeight   DeviceAttribute = 46
	TexturePitchAlignment      DeviceAttribute = 51
	MaxTextureCubeWidth        DeviceAttribute = 52
	MaxTextureCubeLayeredWidth DeviceAttribute = 53
	MaxTextureCubeLayers       DeviceAttribute = 54
	MaxSurface1DWidth          DeviceAttribute = 55
	MaxSurface2DWidth          DeviceAttribute = 56
	MaxSurface2DHeight         DeviceAttribute = 57
	MaxSurface3DWidth          DeviceAttribute = 58
	MaxSurface3DHeight         DeviceAttribute = 59
	MaxSurface3DDepth          DeviceAttribute = 60
	MaxSurface1DLayeredWidth   DeviceAttribute = 61
	MaxSurface1DLayers         DeviceAttribute = 62
	MaxSurface2DLayeredWidth   DeviceAttribute = 63
	MaxSurface2DLayeredHeight  DeviceAttribute = 64
	MaxSurface2DLayers         DeviceAttribute = 65
	MaxSurfaceCubeWidth        DeviceAttribute = 66
	MaxSurfaceCubeLayeredWidth DeviceAttribute = 67
	MaxSurfaceCubeLayers       DeviceAttribute = 68
	MaxTexture1DLinearWidth    DeviceAttribute = 69
	MaxTexture2DLinearWidth    DeviceAttribute = 70
	MaxTexture2DLinearHeight   DeviceAttribute = 71
	MaxTexture2DLinearPitch    DeviceAttribute = 72
	MaxTexture2DMipmapWidth    DeviceAttribute = 73
	MaxTexture2DMipmapHeight   DeviceAttribute = 74
	MaxTexture1DMipmapWidth    DeviceAttribute = 77
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

// CPU is CU_DEVICE_CPU: the host, where MemPrefetchAsync and MemAdvise take a device.
const CPU Device = -1

// A MemPoolAttribute is a CUmemPool_attribute with 64 bits.
type MemPoolAttribute int32

// Pool attributes that cudagen reads and writes. CUDA Driver API, CUmemPool_attribute.
const (
	MemPoolReleaseThreshold MemPoolAttribute = 4
	MemPoolReservedCurrent  MemPoolAttribute = 5
	MemPoolReservedHigh     MemPoolAttribute = 6
	MemPoolUsedCurrent      MemPoolAttribute = 7
	MemPoolUsedHigh         MemPoolAttribute = 8
)

// A MemAccess is a CUmemAccess_flags.
type MemAccess int32

// What a device may do with a pool's memory. CUDA Driver API, CUmemAccess_flags.
const (
	MemAccessNone      MemAccess = 0
	MemAccessReadWrite MemAccess = 3
)

// A MemAdvice is a CUmem_advise.
type MemAdvice int32

// Advice on managed memory. CUDA Driver API, CUmem_advise.
const (
	SetReadMostly          MemAdvice = 1
	UnsetReadMostly        MemAdvice = 2
	SetPreferredLocation   MemAdvice = 3
	UnsetPreferredLocation MemAdvice = 4
	SetAccessedBy          MemAdvice = 5
	UnsetAccessedBy        MemAdvice = 6
)

// Flags of single entry points.
const (
	EventBlockingSync  = 1 // EventCreate: CU_EVENT_BLOCKING_SYNC
	EventDisableTiming = 2 // EventCreate: CU_EVENT_DISABLE_TIMING
	EventInterprocess  = 4 // EventCreate: CU_EVENT_INTERPROCESS
	IpcLazyPeerAccess  = 1 // IpcOpenMemHandle: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
	HostAllocPortable  = 1 // MemHostAlloc: CU_MEMHOSTALLOC_PORTABLE
	HostAllocDeviceMap = 2 // MemHostAlloc: CU_MEMHOSTALLOC_DEVICEMAP
	HostAllocWriteComb = 4 // MemHostAlloc: CU_MEMHOSTALLOC_WRITECOMBINED
	AttachGlobal       = 1 // MemAllocManaged: CU_MEM_ATTACH_GLOBAL

	HostRegisterPortable  = 1 // MemHostRegister: CU_MEMHOSTREGISTER_PORTABLE
	HostRegisterDeviceMap = 2 // MemHostRegister: CU_MEMHOSTREGISTER_DEVICEMAP
)

// A Copy3D is what Memcpy3DAsync copies: Depth planes of Height rows of WidthBytes
// bytes. CUDA Driver API, CUDA_MEMCPY3D.
type Copy3D struct {
	Src, Dst                  Memory3D
	WidthBytes, Height, Depth uint64
}

// A Memory3D is where planes of rows lie: in an array from XBytes, Y and Z on when Array is
// not 0, in page-locked or managed host memory when Host is not nil, else on a device.
type Memory3D struct {
	Host       unsafe.Pointer
	Device     DevicePtr
	PitchBytes uint64 // from one row to the next
	Height     uint64 // rows from one plane to the next

	Array        Array
	XBytes, Y, Z uint64 // Z counts planes, layers or faces
}
