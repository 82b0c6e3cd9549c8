package main

import (
	"io"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// bugs is the ten bugs.
var bugs = []bug{
	{"offbyone", "off by one", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadOffbyone(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.OffByOne.Launch, k.OffByOneMended.Launch, nil
	}},
	{"missingbarrier", "a missing barrier", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadMissingbarrier(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.MissingBarrier.Launch, k.MissingBarrierMended.Launch, nil
	}},
	{"lostupdate", "a race", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadLostupdate(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.LostUpdate.Launch, k.LostUpdateMended.Launch, nil
	}},
	{"accumulator", "an uninitialised accumulator", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadAccumulator(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.Accumulator.Launch, k.AccumulatorMended.Launch, nil
	}},
	{"divergentbarrier", "a divergent barrier", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadDivergentbarrier(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.DivergentBarrier.Launch, k.DivergentBarrierMended.Launch, nil
	}},
	{"wrongmask", "a wrong mask", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadWrongmask(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.WrongMask.Launch, k.WrongMaskMended.Launch, nil
	}},
	{"useafterfree", "use after free", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadUseafterfree(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.UseAfterFree.Launch, k.UseAfterFreeMended.Launch, nil
	}},
	{"doublefree", "double free", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadDoublefree(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.DoubleFree.Launch, k.DoubleFreeMended.Launch, nil
	}},
	{"deadlock", "a deadlock", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadDeadlock(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.Deadlock.Launch, k.DeadlockMended.Launch, nil
	}},
	{"stackoverflow", "a stack overflow", func(dev *cuda.Device) (io.Closer, launch, launch, error) {
		k, err := LoadStackoverflow(dev)
		if err != nil {
			return nil, nil, nil, err
		}
		return k, k.StackOverflow.Launch, k.StackOverflowMended.Launch, nil
	}},
}
