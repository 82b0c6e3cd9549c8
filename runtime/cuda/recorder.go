package cuda

import "unsafe"

// A recorder prepares a call of generated code: what is launched on its stream becomes that of the call. So a
// kernel has one method that checks and converts arguments, for launches and for prepared calls.
type recorder struct {
	stream      Stream
	call        *Call
	params      unsafe.Pointer // the parameter block of the call
	config      LaunchConfig   // that the launch has, unless it computes one
	computed    bool
	sharedBytes uint32     // of the configuration that was given: 0 if a directive says how much
	owners      []Owner    // of that configuration
	args        []argument // used again
}

// First returns what a launch takes that prepares call for k, with the parameter block at params, which is in
// the heap. If cfg is nil, the launch computes it, and so does each further one.
func (generated) First(call *Call, params unsafe.Pointer, k *Kernel, cfg *LaunchConfig) (*Kernel, *Stream, *LaunchConfig) {
	r := &recorder{call: call, params: params, computed: cfg == nil}
	r.stream.recorder, call.recorder = r, r
	if k == nil {
		k = new(Kernel) // the launch checks the arguments before
	}
	if cfg == nil {
		return k, &r.stream, nil
	}
	r.config, r.sharedBytes, r.owners = *cfg, cfg.SharedBytes, cfg.Owners
	return k, &r.stream, &r.config
}

// Again returns what a launch takes that prepares call, with the parameter block at params, for other
// arguments.
func (generated) Again(call *Call, params unsafe.Pointer) (*Kernel, *Stream, *LaunchConfig) {
	r := call.recorder
	switch {
	case r == nil || call.kernel == nil:
		return Generated.First(new(Call), nil, nil, new(LaunchConfig))
	case r.call != call: // a copy
		r = r.clone(call, params)
		call.recorder = r
	}
	if r.computed {
		return call.kernel, &r.stream, nil
	}
	r.config = call.config
	r.config.SharedBytes = r.sharedBytes
	return call.kernel, &r.stream, &r.config
}

// record is Kernel.launchSpecially on the stream of r.
func (r *recorder) record(k *Kernel, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner) error {
	if k.dev == nil {
		return unloaded()
	}
	r.args = r.args[:0]
	for i := range k.params.all {
		if p := &k.params.all[i]; p.Owned {
			o := owners[len(r.args)]
			r.args = append(r.args, argument{o.lifetime, *(*uint64)(unsafe.Add(params, p.Offset)), uint64(max(1, p.ElemAlign))})
		}
	}
	if err := Generated.Prepare(r.call, k, *cfg, computed, r.params, nil, r.args...); err != nil {
		return err
	}
	r.call.config.Owners = r.owners
	copy(blockOf(r.call), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	return nil
}

// clone returns a recorder of call, whose parameter block is at params.
func (r *recorder) clone(call *Call, params unsafe.Pointer) *recorder {
	if r == nil {
		return nil
	}
	c := &recorder{call: call, params: params, computed: r.computed, sharedBytes: r.sharedBytes, owners: r.owners}
	c.stream.recorder = c
	return c
}
