//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import "github.com/cudagen/cudagen/runtime/cuda"

// allocShared allocates memory of d with NCCL.
func allocShared(d *cuda.Device, bytes uint64) (addr uint64, free func(), err error) {
	const op = "allocate memory"
	l, err := nccl()
	if err == nil {
		err = l.needs(op, memAlloc)
	}
	if err != nil {
		return 0, nil, err
	}
	err = d.Do(func() error {
		f := newFrame()
		defer f.free()
		f.args[0], f.args[1] = f.outAddress(), uintptr(bytes)
		if r := l.call(memAlloc, f, 2); r != Success {
			return &Error{Op: op, Detail: l.lastError(), Err: r}
		}
		addr = uint64(f.out)
		return nil
	})
	return addr, func() {
		d.Do(func() error {
			f := newFrame()
			defer f.free()
			f.args[0] = uintptr(addr)
			l.call(memFree, f, 1)
			return nil
		})
	}, err
}

func (b *device) register(addr, bytes uint64) (uintptr, error) {
	const op = "register memory"
	if err := b.lib.needs(op, commRegister); err != nil {
		return 0, err
	}
	f := newFrame()
	defer f.free()
	err := b.c.dev.Do(func() error {
		return b.with(func(comm uintptr) error {
			copy(f.args[:], []uintptr{comm, uintptr(addr), uintptr(bytes), f.outAddress()})
			return b.after(op, b.lib.call(commRegister, f, 4))
		})
	})
	return f.out, err
}

func (b *device) deregister(handle uintptr) error {
	return b.c.dev.Do(func() error {
		b.use.Lock()
		defer b.use.Unlock()
		comm := b.comm()
		if comm == 0 {
			return nil
		}
		f := newFrame()
		defer f.free()
		f.args[0], f.args[1] = comm, handle
		return b.after("end a registration", b.lib.call(commDeregister, f, 2))
	})
}
