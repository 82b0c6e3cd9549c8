package simd

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A WholeLoad loads an element in all lanes: from neighbouring places, from any, which are by and
// an offset behind base, or from one.
type WholeLoad struct {
	Near func(d *Lanes, p unsafe.Pointer)
	Any  func(d *Lanes, base unsafe.Pointer, by uint64, offsets *Lanes)
	One  func(p unsafe.Pointer) uint64
	Half func(d *HalfLanes, p unsafe.Pointer) // near, in half of the lanes; or nil
}

var WholeLoads = map[ptx.Type]*WholeLoad{
	"b8": {Fast.near8, scattered[uint8], one[uint8], nil}, "u8": {Fast.near8, scattered[uint8], one[uint8], nil}, "s8": {near[int8], scattered[int8], one[int8], nil},
	"b16": {Fast.near16, scattered[uint16], one[uint16], nil}, "u16": {Fast.near16, scattered[uint16], one[uint16], nil}, "s16": {near[int16], scattered[int16], one[int16], nil},
	"b32": {Fast.near32, Fast.scattered32, one[uint32], Fast.half32}, "u32": {Fast.near32, Fast.scattered32, one[uint32], Fast.half32},
	"s32": {Fast.nearS32, scattered[int32], one[int32], nil}, "f32": {Fast.near32, Fast.scattered32, one[uint32], Fast.half32},
	"b64": {Fast.near64, scattered[uint64], one[uint64], nil}, "u64": {Fast.near64, scattered[uint64], one[uint64], nil},
	"s64": {Fast.near64, scattered[uint64], one[uint64], nil}, "f64": {Fast.near64, scattered[uint64], one[uint64], nil},
}

// A WholeStore stores an element of all lanes: to neighbouring places, or to any, where the
// highest of the lanes that store to one address wins.
type WholeStore struct {
	Near func(p unsafe.Pointer, s *Lanes)
	Any  func(base unsafe.Pointer, by uint64, offsets, s *Lanes)
}

// WholeStores is indexed by the size in bytes.
var WholeStores = map[int]*WholeStore{
	1: {storeNear[uint8], storeScattered[uint8]}, 2: {storeNear[uint16], storeScattered[uint16]},
	4: {Fast.storeNear32, storeScattered[uint32]}, 8: {Fast.storeNear64, storeScattered[uint64]},
}
