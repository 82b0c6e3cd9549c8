package cuda

import "unsafe"

// A recorder prepares a call of generated code: what is launched on its stream becomes that of the call. So a
// kernel has one method that checks and converts arguments, for launches and for prepared calls.
type recorder struct {
	made struct{ Call } // what generated types are
	plan
	call   *Call // made, or a copy of it, which is not allowed
	stream Stream
}

// A plan is what a recorder launches.
type plan struct {
	kernel        *Kernel
	computed      bool         // each launch computes the configuration
	given, config LaunchConfig // otherwise it is given; a launch gets a copy, which it may complete
}

// begin makes r, which is zero, the recorder of call, which becomes a copy of from.
func (r *recorder) begin(call, from *Call, p plan) *struct{ Call } {
	r.plan, r.call, r.stream.recorder, call.recorder, call.block = p, call, r, r, from.block
	if from.kernel != nil {
		Generated.Clone(call, from, newBlock(from.params, from.kernel))
	}
	return &r.made
}

// NewCall returns a call of k that is not prepared. If cfg is nil, each launch that Record is for computes it.
// block is a nil pointer to the type of the parameter block.
func (generated) NewCall(k *Kernel, cfg *LaunchConfig, block any) *struct{ Call } {
	p := plan{kernel: k, computed: cfg == nil}
	if cfg != nil {
		p.given, p.config = *cfg, *cfg
	}
	r := new(recorder)
	return r.begin(&r.made.Call, &Call{block: block}, p)
}

// Copy returns a copy of from.
func (generated) Copy(from *Call) *struct{ Call } {
	r := new(recorder)
	if from.recorder == nil {
		return &r.made
	}
	return r.begin(&r.made.Call, from, from.recorder.plan)
}

// Record returns what a launch takes that prepares call.
func (generated) Record(call *Call) (*Kernel, *Stream, *LaunchConfig) {
	r := call.recorder
	switch {
	case r == nil:
		return nil, nil, new(LaunchConfig)
	case r.call != call: // it was copied
		own := new(recorder)
		own.begin(call, call, r.plan)
		r = own
	}
	if r.computed {
		return r.kernel, &r.stream, nil
	}
	r.config.SharedBytes = r.given.SharedBytes
	return r.kernel, &r.stream, &r.config
}

// record is Kernel.launchSpecially on the stream of r.
func (r *recorder) record(k *Kernel, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner) error {
	c := r.call
	if !fits(c, k, cfg, len(owners)) || k.handle() == 0 {
		return r.recordAnew(k, cfg, computed, params, owners)
	}
	for i := range owners {
		a := argument{owners[i].lifetime, *(*uint64)(unsafe.Add(params, c.args[i].offset)), c.args[i].align}
		if err := a.check(k, i); err != nil {
			return err
		}
	}
	for i := range owners {
		a := &c.args[i]
		a.addr = *(*uint64)(unsafe.Add(params, a.offset))
		if o := owners[i].lifetime; a.owner != o {
			a.owner, c.turn = o, 0
		}
	}
	c.version++
	copy(blockOf(c), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	return nil
}

// recordAnew is record for another configuration than before.
func (r *recorder) recordAnew(k *Kernel, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner) error {
	if err := k.openFor("prepare"); err != nil {
		return err
	}
	var few [8]argument
	args := few[:0]
	for i := range k.params.all {
		if p := &k.params.all[i]; p.Owned {
			args = append(args, argument{owners[len(args)].lifetime, *(*uint64)(unsafe.Add(params, p.Offset)), uint64(max(1, p.ElemAlign))})
		}
	}
	c, block := r.call, r.call.params
	if block == nil {
		block = newBlock(params, k)
	}
	err := Generated.Prepare(c, k, *cfg, computed, block, nil, args...)
	if err == nil {
		r.given.Attributes, c.config.Owners = c.config.Attributes, r.given.Owners
		copy(blockOf(c), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	}
	r.config = r.given
	return err
}

// newBlock returns a copy of the parameter block at params of a launch of k.
func newBlock(params unsafe.Pointer, k *Kernel) unsafe.Pointer {
	block := make([]uint64, (k.target.ParamBytes+7)/8+1) // never empty
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), k.target.ParamBytes), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	return unsafe.Pointer(&block[0])
}
