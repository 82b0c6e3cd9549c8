package driver

// Watchable returns d, which is a simulated device's, so that a Watcher is told of its calls.
func Watchable(d Driver) Driver { return &watchable{d} }

// A watchable has methods for what a Watcher may want to know of: the rows of Driver that are marked "watched".
type watchable struct{ Driver }

// around makes a call.
func (d *watchable) around(call func() Result, e EntryPoint, args ...uintptr) Result {
	w := Watching()
	if w == nil || !w.Watches(e) {
		return call()
	}
	c := WatchedCall{Of: d, Entry: e}
	copy(c.Args[:], args)
	c = w.Begin(c)
	r := call()
	w.End(c, r)
	return r
}

// Memcpy3DAsync says how many bytes are copied, which is not an argument.
func (d *watchable) Memcpy3DAsync(c Copy3D, s Stream) Result {
	return d.around(func() Result { return d.Driver.Memcpy3DAsync(c, s) }, Memcpy3DAsync, 0, uintptr(s), uintptr(c.WidthBytes*c.Height*c.Depth))
}
