package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// LaunchAttributes are the optional attributes of a launch. The zero value is a plain
// launch. Unsupported attributes are errors. Do not change a LaunchAttributes during a
// launch that uses it.
//
// CUDA Driver API, Data types used by CUDA driver, CUlaunchAttributeID.
type LaunchAttributes struct {
	// Cluster counts the blocks of a thread block cluster. It must divide the grid in
	// every dimension; the zero Dim3 means no clusters. The first launch with more than 8
	// blocks per cluster opts in to them; not all devices support that. Compute
	// capability 9.0.
	Cluster Dim3

	// Cooperative runs all blocks on the device at once, so that they can wait for each
	// other (cooperative groups: this_grid().sync()).
	Cooperative bool

	// Programmatic lets the kernel begin before the preceding kernel in the stream has
	// ended, if that kernel allows it (programmatic dependent launch, or programmatic
	// stream serialization). The kernel waits for its input by
	// cudaGridDependencySynchronize. Compute capability 9.0.
	Programmatic bool

	// Priority is the priority of the launch; lower numbers are scheduled first. nil
	// means the stream's priority. The driver uses the nearest priority that it supports.
	Priority *int32
}

// A cluster may have portableCluster blocks on every device with clusters, and maxCluster
// on some. CUDA C++ Programming Guide, Thread Block Clusters.
const (
	portableCluster = 8
	maxCluster      = 16
)

func (a *LaunchAttributes) driver() driver.LaunchAttributes {
	d := driver.LaunchAttributes{Cluster: driver.Dim3(a.Cluster), Cooperative: a.Cooperative, Programmatic: a.Programmatic}
	if a.Priority != nil {
		d.HasPriority, d.Priority = true, *a.Priority
	}
	return d
}

// clone returns a copy of a, nil if a is nil.
func (a *LaunchAttributes) clone() *LaunchAttributes {
	if a == nil {
		return nil
	}
	c := *a
	if c.Priority != nil {
		c.Priority = new(*a.Priority)
	}
	return &c
}

// extended returns the target and the attributes that libcuda launches cfg by. Without
// attributes, and on the simulator, the target is k's own.
func (k *Kernel) extended(cfg *LaunchConfig) (target libcuda.Target, list libcuda.AttributeList, err error) {
	target = libcuda.Target{Entry: k.target.Entry, Kernel: k.handle(), Offsets: k.target.Offsets, Count: k.target.Count, ParamBytes: k.target.ParamBytes}
	if cfg.Attributes == nil || k.native == nil {
		return target, list, nil
	}
	entry, ok := libcuda.AttributedEntry()
	if !ok {
		return target, list, k.launchError(cfg, "this driver has no "+driver.LaunchKernelEx.Name()+": update NVIDIA's driver", ErrNotSupported)
	}
	target.Entry = entry
	return target, libcuda.Attributes(cfg.Attributes.driver()), nil
}

// A need is something that a device or its driver may lack.
type need uint32

const (
	needCooperation need = 1 << iota
	needClusters
	needProgrammatic
	needLargeClusters
)

func (a *LaunchAttributes) needs() (n need) {
	if a == nil {
		return 0
	}
	if a.Cooperative {
		n |= needCooperation
	}
	if a.Cluster != (Dim3{}) {
		n |= needClusters
	}
	if a.Programmatic {
		n |= needProgrammatic
	}
	if a.Cluster.count() > portableCluster {
		n |= needLargeClusters
	}
	return n
}

// allow has the driver allow k what cfg asks for beyond what every kernel may have, once
// for each kernel, or says what is missing: dynamic shared memory that has to be opted
// into, clusters, cooperation. The caller holds an epoch.
func (k *Kernel) allow(cfg *LaunchConfig) error {
	k.noteLaunch()
	if cfg.SharedBytes >= k.launchable() {
		if err := k.allowShared(cfg); err != nil {
			return err
		}
	}
	missing := cfg.Attributes.needs() &^ need(k.allowed.Load())
	if missing == 0 {
		return nil
	}
	major, minor, err := k.dev.ComputeCapability()
	if err != nil {
		return err
	}
	has := func(attribute driver.DeviceAttribute) bool {
		value, r := k.dev.drv.DeviceGetAttribute(attribute, k.dev.dev)
		return r == driver.Success && value != 0
	}
	lacks := ""
	switch {
	case missing&needCooperation != 0 && !has(driver.CooperativeLaunch):
		lacks = "cooperative launches: compute capability 6.0 and later has them"
	case missing&needClusters != 0 && !has(driver.ClusterLaunch):
		lacks = "clusters: compute capability 9.0 and later has them"
	case missing&needProgrammatic != 0 && major < 9:
		lacks = "programmatic dependent launches: compute capability 9.0 and later has them"
	}
	if lacks != "" {
		return k.launchError(cfg, fmt.Sprintf("this device, of compute capability %d.%d, has no %s", major, minor, lacks), ErrNotSupported)
	}
	if missing&needLargeClusters != 0 {
		if r := k.dev.drv.KernelSetAttribute(driver.FuncNonPortableCluster, 1, k.handle(), k.dev.dev); r != driver.Success {
			return k.explainLaunch(cfg, r)
		}
	}
	k.allowed.Or(uint32(missing))
	return nil
}

// allowShared opts k into all the dynamic shared memory that its device has, if cfg needs
// more than k has without.
//
// CUDA C++ Programming Guide, Shared Memory: more than 48 KiB is opted into.
func (k *Kernel) allowShared(cfg *LaunchConfig) error {
	have, r := k.dev.drv.KernelGetAttribute(driver.FuncMaxDynamicSharedBytes, k.handle(), k.dev.dev)
	if r != driver.Success {
		return k.explainLaunch(cfg, r)
	}
	static, r := k.dev.drv.KernelGetAttribute(driver.FuncSharedSizeBytes, k.handle(), k.dev.dev)
	if r != driver.Success {
		return k.explainLaunch(cfg, r)
	}
	have = min(have, max(0, k.dev.limits.sharedBytes-static)) // drivers differ in whether static memory is taken off
	if int(cfg.SharedBytes) > have {
		most, err := k.mostDynamicShared()
		if err != nil {
			return err
		}
		if int(cfg.SharedBytes) > most {
			return k.explainLaunch(cfg, driver.ErrorInvalidValue)
		}
		if r := k.dev.drv.KernelSetAttribute(driver.FuncMaxDynamicSharedBytes, most, k.handle(), k.dev.dev); r != driver.Success {
			return k.explainLaunch(cfg, r)
		}
		have = most
	}
	if k.launchable() != 0 { // occupancy is asked for before the first launch
		k.raiseShared(uint32(have) + 1)
	}
	return nil
}

// mostDynamicShared returns the most dynamic shared memory that k can opt into, in bytes.
func (k *Kernel) mostDynamicShared() (int, error) {
	most, r := k.dev.drv.DeviceGetAttribute(driver.MaxSharedMemoryPerBlockOpt, k.dev.dev)
	if r != driver.Success {
		return 0, k.dev.fail("read the limits", r)
	}
	static, r := k.dev.drv.KernelGetAttribute(driver.FuncSharedSizeBytes, k.handle(), k.dev.dev)
	if r != driver.Success {
		return 0, k.failed(&Error{Op: "read the limits of", Kernel: k.name}, r)
	}
	return most - static, nil
}

// needBits is the number of bits that allowed has for needs. The rest is enough for the shared memory
// of a block.
const needBits = 8

// launchable returns sharedEnd as it is without a trace.
func (k *Kernel) launchable() uint32 { return k.allowed.Load() >> needBits }

// raiseShared sets sharedEnd to end, if it is less. In a trace it stays 0: then all launches are
// special ones.
func (k *Kernel) raiseShared(end uint32) {
	for {
		before := k.allowed.Load()
		if before>>needBits >= end || k.allowed.CompareAndSwap(before, before&(1<<needBits-1)|end<<needBits) {
			break
		}
	}
	k.openLaunches()
}

// openLaunches lets launches of k be plain ones, unless there is a trace.
func (k *Kernel) openLaunches() {
	for tracing.Load() == nil {
		end := k.launchable()
		k.sharedEnd.Store(end)
		if tracing.Load() != nil { // or what begins one sees the store
			k.sharedEnd.Store(0)
			return
		}
		if k.launchable() == end {
			return
		}
	}
}

func (k *Kernel) launchError(cfg *LaunchConfig, detail string, err error) error {
	return &Error{Op: "launch", Kernel: k.name, Config: *cfg, Device: k.dev.String(), Driver: k.dev.version, Detail: detail, Err: err}
}

// requiredCluster returns the blocks of __cluster_dims__, or the zero Dim3.
func (k *Kernel) requiredCluster() (cluster Dim3, r driver.Result) {
	for attribute, into := range map[driver.FunctionAttribute]*uint32{
		driver.FuncRequiredClusterX: &cluster.X, driver.FuncRequiredClusterY: &cluster.Y, driver.FuncRequiredClusterZ: &cluster.Z,
	} {
		v, r := k.dev.drv.KernelGetAttribute(attribute, k.handle(), k.dev.dev)
		if r != driver.Success {
			return Dim3{}, r
		}
		*into = uint32(v)
	}
	return cluster, driver.Success
}

// SetSharedCarveout sets the percentage of the L1 cache's memory that k prefers as shared
// memory; -1 is the driver's default. It is a hint, and applies to all later launches of
// k.
//
// CUDA Driver API, Library Management, cuKernelSetAttribute,
// CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT.
func (k *Kernel) SetSharedCarveout(percent int) error {
	const op = "set the shared memory carve-out of"
	defer k.hold().release()
	if err := k.openFor(op); err != nil {
		return err
	}
	if percent < -1 || percent > 100 {
		return &Error{Op: op, Kernel: k.name, Device: k.dev.String(), Detail: fmt.Sprintf("%d is not a percentage: use 0 to 100, or -1 for the default", percent), Err: ErrInvalidValue}
	}
	if r := k.dev.drv.KernelSetAttribute(driver.FuncSharedCarveout, percent, k.handle(), k.dev.dev); r != driver.Success {
		return k.failed(&Error{Op: op, Kernel: k.name}, r)
	}
	return nil
}
