package cuda_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// worksAfterFault are the functions that do not fail on a device that a fault has made unusable,
// and why.
var worksAfterFault = map[string]string{
	"Adopt": noContext, "DefineGraph": noContext, "Batch.Graph": noContext, "NewBatch": noContext, "PitchedShape": noContext,
	"Devices": noContext, "Device.Attribute": noContext, "Device.CanAccessPeer": noContext,
	"Resource.Close": "graphs are gone with the context", "Device.ComputeCapability": noContext, "Device.DefaultPool": noContext, "Device.PCIBusID": noContext, "Device.TotalMemory": noContext,
	"Device.UUID":   noContext,
	"SaxpyCall.Set": noContext, "SaxpyKernel.Prepare": noContext, "SaxpyKernel.PrepareDefault": noContext,
	"BoundCall.Set": noContext, "BoundKernel.Prepare": noContext, "Elements": noContext, "DimOf": noContext,
	"GraphExec.Enable":   "it is enabled",
	"Device.LoadKernels": "the image is loaded", "Device.LoadLibrary": "the image is loaded",
	"Kernels.Close": "the image is unloaded later", "Library.Close": "the image is unloaded later",
	"Device.Close": "the fault is known", "Device.CloseContext": "the fault is known",
	"Array.Close": "a texture holds it",
	"Stream.Use":  noContext, "Stream.Fail": noContext,
	"StartTrace": noContext, "Trace.Close": noContext, "Stream.SetName": noContext, "MemoryHandle.MarshalText": noContext, "EventHandle.MarshalText": noContext,
}

const noContext = "it asks nothing of the device's context"

// unfitAfterFault are functions whose arguments here are wrong on every device, and those that are
// refused on simulated devices, or have nothing to do there.
var unfitAfterFault = []string{
	"Device.EnablePeerAccess", "RegisterHost", "DriverVersion",
	"Device.Handle", "Stream.Handle", "Stream.HandleAfterUse", "Kernel.Handle", "Event.Handle", "Device.Do",
	"Buffer.Export", "Event.Export", "MemoryHandle.Import", "EventHandle.Import", // of the specimens, which no process can
	"NewTensorMap", "Array.Box", "CheckFresh",
}

// TestAfterAFault calls every function and method on a device that a fault has made unusable:
// the error is ErrDeviceLost, unless the call does not need the device.
func TestAfterAFault(t *testing.T) {
	// The fake comes first: a process has one libcuda, and DriverVersion would load that of a machine with a GPU.
	for _, name := range []string{"fake libcuda", "simulator"} {
		t.Run(name, func(t *testing.T) {
			dev, fault := faultyDevices[name](t)
			all := specimens(t, dev)
			list := allTried(all)
			idle, err := dev.NewStream() // whose queue the next stream would have
			require.NoError(t, err)
			require.NoError(t, idle.Synchronize())
			require.NoError(t, idle.Close())
			fault(all)
			for _, closing := range []func(name string) bool{ // the device comes last
				func(name string) bool {
					return !isClose(name) && !strings.HasPrefix(name, "Open") && !strings.HasSuffix(name, ".After")
				},
				func(name string) bool { return isClose(name) && !strings.HasPrefix(name, "Device.") },
				func(name string) bool { return isClose(name) && strings.HasPrefix(name, "Device.") },
			} {
				for _, f := range list {
					if !closing(f.name) {
						continue
					}
					t.Run(f.name, func(t *testing.T) {
						if problem := tryAfterFault(all, f); problem != "" {
							t.Error(problem)
						}
					})
				}
			}
			for _, f := range list {
				if strings.HasSuffix(f.name, ".Close") {
					args := []reflect.Value{reflect.ValueOf(all[f.f.Type().In(0)][0].value)}
					assert.True(t, f.f.Call(args)[0].IsNil(), "%s a second time", f.name)
				}
			}
		})
	}
}

// faultyDevices open devices, with what makes each unusable.
var faultyDevices = map[string]func(t *testing.T) (*cuda.Device, func(map[reflect.Type][]specimen)){
	"simulator": func(t *testing.T) (*cuda.Device, func(map[reflect.Type][]specimen)) {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		return dev, func(map[reflect.Type][]specimen) {
			_, _, _, err := faulted(dev)
			require.ErrorIs(t, err, cuda.ErrDeviceLost)
		}
	},
	"fake libcuda": func(t *testing.T) (*cuda.Device, func(map[reflect.Type][]specimen)) {
		library := loadFake(t)
		dev, err := cuda.Open(0)
		require.NoError(t, err)
		return dev, func(all map[reflect.Type][]specimen) {
			s := all[reflect.TypeFor[*cuda.Stream]()][0].value.(*cuda.Stream)
			library.FailLate(1, int(driver.ErrorIllegalAddress))
			s.Synchronize()
			require.ErrorIs(t, s.Synchronize(), cuda.ErrDeviceLost)
		}
	},
}

// TestCodesThatLoseTheDevice: docs/faults.md lists them, and no others.
func TestCodesThatLoseTheDevice(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "faults.md"))
	require.NoError(t, err)
	listed := map[int]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| (CUDA_ERROR_\w+) \|`).FindAllStringSubmatch(string(text), -1) {
		code, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		listed[code] = m[2]
	}
	assert.NotEmpty(t, listed)
	for code := range 1000 {
		name, lost := listed[code]
		var err error = &cuda.BatchError{Err: &cuda.Error{Err: cuda.Code(code)}}
		assert.Equal(t, lost, errors.Is(err, cuda.ErrDeviceLost), "%v", err)
		if lost {
			assert.Contains(t, err.Error(), name)
		}
	}
	assert.ErrorIs(t, &cuda.Error{First: new(cuda.Error), Err: cuda.ErrInvalidHandle}, cuda.ErrDeviceLost)
	assert.NotErrorIs(t, &cuda.Error{Err: cuda.ErrInvalidHandle}, cuda.ErrDeviceLost)
}

// TestAfterAFaultIsSeen is the control: on a device without a fault, calls do not fail.
func TestAfterAFaultIsSeen(t *testing.T) {
	all := specimens(t, openSimulator(t))
	list := allTried(all)
	f := list[slices.IndexFunc(list, func(f tried) bool { return f.name == "Stream.Synchronize" })]
	assert.Equal(t, "Stream.Synchronize does not fail", tryAfterFault(all, f))
	f.f = reflect.ValueOf(func() error { return cuda.ErrInvalidHandle })
	assert.Contains(t, tryAfterFault(all, f), "the error is not ErrDeviceLost: ")
}

func tryAfterFault(all map[reflect.Type][]specimen, f tried) string {
	if slices.Contains(unfitAfterFault, f.name) {
		return ""
	}
	typ := f.f.Type()
	args := make([]reflect.Value, typ.NumIn())
	for i := range args {
		args[i] = valueOf(typ.In(i), candidatesFor(all, f.f, i)[0].value)
	}
	var results []reflect.Value
	if typ.IsVariadic() {
		results = f.f.CallSlice(args)
	} else {
		results = f.f.Call(args)
	}
	for _, r := range results {
		if trace, ok := r.Interface().(*cuda.Trace); ok {
			trace.Close()
		}
	}
	last := len(results) - 1
	if last < 0 || typ.Out(last) != reflect.TypeFor[error]() {
		return ""
	}
	err, _ := results[last].Interface().(error)
	_, works := worksAfterFault[f.name]
	switch {
	case err == nil && !works:
		return f.name + " does not fail"
	case err != nil && works:
		return fmt.Sprintf("%s is said to work, and fails: %v", f.name, err)
	case err != nil && !errors.Is(err, cuda.ErrDeviceLost):
		return fmt.Sprintf("%s: the error is not ErrDeviceLost: %v", f.name, err)
	}
	return ""
}
