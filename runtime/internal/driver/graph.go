package driver

// A GraphNodeType is a CUgraphNodeType.
type GraphNodeType int32

// The kinds of nodes that cudagen makes. CUDA Driver API, CUgraphNodeType.
const (
	KernelNodeType      GraphNodeType = 0
	MemcpyNodeType      GraphNodeType = 1
	MemsetNodeType      GraphNodeType = 2
	HostNodeType        GraphNodeType = 3
	ChildGraphNodeType  GraphNodeType = 4
	EmptyNodeType       GraphNodeType = 5
	EventWaitNodeType   GraphNodeType = 6
	EventRecordNodeType GraphNodeType = 7
	MemAllocNodeType    GraphNodeType = 10
	MemFreeNodeType     GraphNodeType = 11
	ConditionalNodeType GraphNodeType = 13
)

// A HostFunc is the number of a function that host nodes call: KeepHostFunc.
type HostFunc uintptr

// NodeParams is what a node does: its Type, and of the rest what that needs. CUDA Driver API,
// CUgraphNodeParams.
type NodeParams struct {
	Type        GraphNodeType
	Ctx         Context // of kernels, copies, fills and conditional nodes
	Kernel      KernelNodeParams
	Copy        Copy3D // also if it has one dimension
	Memset      MemsetNodeParams
	Host        HostFunc
	Child       Graph // copied when the node is added
	Event       Event
	Alloc       MemAllocNodeParams
	Free        DevicePtr
	Conditional ConditionalNodeParams
}

// KernelNodeParams is the launch of a kernel node. Params and Offsets are as in LaunchKernel;
// the driver copies the parameters. GraphKernelNodeSetAttribute adds attributes.
type KernelNodeParams struct {
	Kernel  Kernel
	Config  LaunchConfig
	Params  []byte
	Offsets []uint32
}

// MemsetNodeParams sets Height rows of Width elements.
type MemsetNodeParams struct {
	Dst           DevicePtr
	PitchBytes    uint64 // from one row to the next
	Value         uint32
	ElementBytes  uint32 // 1, 2 or 4
	Width, Height uint64
}

// MemAllocNodeParams is memory that a graph allocates from its own pool on Dev.
type MemAllocNodeParams struct {
	Dev   Device
	Bytes uint64
}

// A ConditionalKind is a CUgraphConditionalNodeType.
type ConditionalKind int32

// The kinds of conditional nodes.
const (
	ConditionalIf     ConditionalKind = 0 // body 0 if the value is not 0, else body 1, if there is one
	ConditionalWhile  ConditionalKind = 1 // body 0 as long as the value is not 0
	ConditionalSwitch ConditionalKind = 2 // the body with the value's number, if there is one
)

// AssignDefault is CU_GRAPH_COND_ASSIGN_DEFAULT, a flag of GraphConditionalHandleCreate: the
// value is the initial one whenever the graph is launched.
const AssignDefault = 1

// ConditionalNodeParams is a node that runs one of its bodies.
type ConditionalNodeParams struct {
	Handle GraphConditionalHandle
	Kind   ConditionalKind
	Bodies int
}

// A GraphEdge is a node that another one comes after.
type GraphEdge struct {
	From GraphNode
	// Programmatic lets a kernel node begin before From, one too, has ended. CUDA 12.3.
	Programmatic bool
}

// An AddedNode is a node and what the driver decides when it is added.
type AddedNode struct {
	Node    GraphNode
	Address DevicePtr // of a node that allocates
	Bodies  []Graph   // of a conditional node, to add nodes to
}

// AutoFreeOnLaunch is a flag of GraphInstantiateWithParams: memory that the graph has not
// freed is freed when it is launched again.
const AutoFreeOnLaunch = 1

// A GraphInstantiateResult is a CUgraphInstantiateResult.
type GraphInstantiateResult int32

// A GraphExecUpdateResult is a CUgraphExecUpdateResult.
type GraphExecUpdateResult int32

var instantiateResults = map[GraphInstantiateResult]string{
	0: "no error",
	1: "an error of no special kind",
	2: "its structure is invalid, as with a cycle",
	3: "a node's operation cannot be instantiated here",
	4: "its nodes are of several contexts or devices",
	5: "no conditional node uses a conditional handle",
}

var updateResults = map[GraphExecUpdateResult]string{
	0: "no error",
	1: "an error of no special kind",
	2: "the nodes or their dependencies are others",
	3: "a node is of another kind",
	4: "the function of a kernel node is another one",
	5: "the parameters changed in a way that cannot be updated",
	6: "a part of a node cannot be updated",
	7: "the function of a kernel node changed in a way that cannot be updated",
	8: "the attributes of a kernel node changed in a way that cannot be updated",
}

// String says what o means.
func (o GraphInstantiateResult) String() string { return orUnknown(instantiateResults[o]) }

// String says what o means.
func (o GraphExecUpdateResult) String() string { return orUnknown(updateResults[o]) }

func orUnknown(text string) string {
	if text == "" {
		return "a reason that is newer than this program"
	}
	return text
}

// A StreamCaptureMode is a CUstreamCaptureMode: what others may not do meanwhile.
type StreamCaptureMode int32

// The modes of a capture.
const (
	CaptureGlobal      StreamCaptureMode = 0
	CaptureThreadLocal StreamCaptureMode = 1
	CaptureRelaxed     StreamCaptureMode = 2
)

// A StreamCaptureStatus is a CUstreamCaptureStatus.
type StreamCaptureStatus int32

// The states of a stream.
const (
	NotCapturing       StreamCaptureStatus = 0
	Capturing          StreamCaptureStatus = 1
	CaptureInvalidated StreamCaptureStatus = 2
)

// SetCaptureDependencies is CU_STREAM_SET_CAPTURE_DEPENDENCIES, a flag of
// StreamUpdateCaptureDependencies: what is captured next comes after the nodes given alone.
const SetCaptureDependencies = 1
