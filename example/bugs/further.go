package main

import (
	"io"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// further is the further bugs, all of further.cu.
var further = []bug{
	{"undefinedbranch", "a branch on what was never written", pair(func(k *Further) (launch, launch) {
		return k.UndefinedBranch.Launch, k.UndefinedBranchMended.Launch
	})},
	{"undefinedindex", "an index that was never written", pair(func(k *Further) (launch, launch) {
		return k.UndefinedIndex.Launch, k.UndefinedIndexMended.Launch
	})},
	{"undefinedresult", "a result of which a part was never written", pair(func(k *Further) (launch, launch) {
		return k.UndefinedResult.Launch, k.UndefinedResultMended.Launch
	})},
	{"warpsynchronous", "a race in a warp", pair(func(k *Further) (launch, launch) {
		return k.WarpSynchronous.Launch, k.WarpSynchronousMended.Launch
	})},
	{"volatilewarp", "a race in a warp, with volatile memory", pair(func(k *Further) (launch, launch) {
		return k.VolatileWarp.Launch, k.VolatileWarpMended.Launch
	})},
	{"globalrace", "a race in global memory", pair(func(k *Further) (launch, launch) {
		return k.GlobalRace.Launch, k.GlobalRaceMended.Launch
	})},
	{"asynccopy", "a copy that nobody waited for", pair(func(k *Further) (launch, launch) {
		return k.AsyncCopy.Launch, k.AsyncCopyMended.Launch
	})},
	{"barriercounts", "two counts at one barrier", pair(func(k *Further) (launch, launch) {
		return k.BarrierCounts.Launch, k.BarrierCountsMended.Launch
	})},
	{"misaligned", "a misaligned address", pair(func(k *Further) (launch, launch) {
		return k.Misaligned.Launch, k.MisalignedMended.Launch
	})},
	{"sharedbounds", "beyond shared memory", pair(func(k *Further) (launch, launch) {
		return k.SharedBounds.Launch, k.SharedBoundsMended.Launch
	})},
	{"localbounds", "beyond local memory", pair(func(k *Further) (launch, launch) {
		return k.LocalBounds.Launch, k.LocalBoundsMended.Launch
	})},
	{"faraway", "an address far from every buffer", pair(func(k *Further) (launch, launch) {
		return k.FarAway.Launch, k.FarAwayMended.Launch
	})},
	{"nullpointer", "a null pointer", pair(func(k *Further) (launch, launch) {
		return k.NullPointer.Launch, k.NullPointerMended.Launch
	})},
	{"freeinside", "free of an address inside of an allocation", pair(func(k *Further) (launch, launch) {
		return k.FreeInside.Launch, k.FreeInsideMended.Launch
	})},
	{"heapbounds", "beyond what malloc gave", pair(func(k *Further) (launch, launch) {
		return k.HeapBounds.Launch, k.HeapBoundsMended.Launch
	})},
	{"barrierobject", "a barrier object that was not set up", pair(func(k *Further) (launch, launch) {
		return k.BarrierObject.Launch, k.BarrierObjectMended.Launch
	})},
}

// pair returns what loads further.cu and picks a kernel that has a bug, and the one that has not.
func pair(pick func(k *Further) (wrong, right launch)) func(dev *cuda.Device) (io.Closer, launch, launch, error) {
	return func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadFurther(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		wrong, right := pick(k)
		return k, wrong, right, nil
	}
}
