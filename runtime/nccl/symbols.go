package nccl

import "fmt"

// oldest is the version of NCCL that this package needs at least, as NCCL writes it.
const oldest = 21800

// A symbol is a function of NCCL.
type symbol int

// The functions that this package calls.
const (
	getVersion symbol = iota
	getUniqueID
	getErrorString
	getLastError
	getAsyncError
	initRankScalable
	initRankConfig
	commFinalize
	commDestroy
	commAbort
	commSplit
	allReduce
	broadcast
	reduceTo
	allGather
	reduceScatter
	send
	recv
	groupStart
	groupEnd
	createPreMulSum
	destroyOp
	commRegister
	commDeregister
	memAlloc
	memFree
	allToAll
	gather
	scatter
	symbols
)

// symbolTable has the functions' names, and the versions that brought them: 0 for those that the
// oldest version has.
var symbolTable = [symbols]struct {
	name  string
	since int
}{
	getVersion:       {"ncclGetVersion", 0},
	getUniqueID:      {"ncclGetUniqueId", 0},
	getErrorString:   {"ncclGetErrorString", 0},
	getLastError:     {"ncclGetLastError", 0},
	getAsyncError:    {"ncclCommGetAsyncError", 0},
	initRankScalable: {"ncclCommInitRankScalable", 22304},
	initRankConfig:   {"ncclCommInitRankConfig", 0},
	commFinalize:     {"ncclCommFinalize", 0},
	commDestroy:      {"ncclCommDestroy", 0},
	commAbort:        {"ncclCommAbort", 0},
	commSplit:        {"ncclCommSplit", 0},
	allReduce:        {"ncclAllReduce", 0},
	broadcast:        {"ncclBroadcast", 0},
	reduceTo:         {"ncclReduce", 0},
	allGather:        {"ncclAllGather", 0},
	reduceScatter:    {"ncclReduceScatter", 0},
	send:             {"ncclSend", 0},
	recv:             {"ncclRecv", 0},
	groupStart:       {"ncclGroupStart", 0},
	groupEnd:         {"ncclGroupEnd", 0},
	createPreMulSum:  {"ncclRedOpCreatePreMulSum", 0},
	destroyOp:        {"ncclRedOpDestroy", 0},
	commRegister:     {"ncclCommRegister", 21903},
	commDeregister:   {"ncclCommDeregister", 21903},
	memAlloc:         {"ncclMemAlloc", 21903},
	memFree:          {"ncclMemFree", 21903},
	allToAll:         {"ncclAlltoAll", 22803},
	gather:           {"ncclGather", 22803},
	scatter:          {"ncclScatter", 22803},
}

// versionText writes 22809 as 2.28.9.
func versionText(v int) string {
	if v < 10000 {
		return fmt.Sprintf("%d.%d.%d", v/1000, v%1000/100, v%100)
	}
	return fmt.Sprintf("%d.%d.%d", v/10000, v%10000/100, v%100)
}
