package cuda

import "weak"

// Stats are figures of a device, for logs and monitoring. They are read one by one: while other
// goroutines work, they need not be of one moment.
//
// Stats can be published with package expvar, as JSON,
//
//	expvar.Publish("cuda", expvar.Func(func() any { return dev.Stats() }))
//
// and Metrics lists them for metrics libraries.
//
// What is on the device but not made by this package is not in them: Device.MemoryInfo has all of
// its memory, Pool.Stats what a pool reserves. Launches are not counted, because that would make
// each of them slower: a trace counts them while it runs, StartTrace(nil, TraceConfig{}) and its Summary.
type Stats struct {
	DeviceBytes     uint64 // of open buffers by Alloc, AllocFrom and Upload
	DeviceBytesPeak uint64 // the most that DeviceBytes was
	PageLockedBytes uint64 // of open buffers by AllocHost and RegisterHost
	ManagedBytes    uint64 // of open buffers by AllocManaged
	AdoptedBytes    uint64 // of open buffers by Adopt
	ArrayBytes      uint64 // of the elements of open arrays
	ExportableBytes uint64 // of open buffers by AllocExportable; the driver takes multiples of 2 MiB
	ImportedBytes   uint64 // of open buffers by Import, which are another process's

	Buffers   uint64 // open, but for those without elements
	Textures  uint64 // open
	Surfaces  uint64 // open
	Streams   uint64 // open
	Events    uint64 // open
	Pools     uint64 // open, by NewPool
	Graphs    uint64 // open GraphExecs
	Libraries uint64 // open
	Images    uint64 // loaded for open libraries

	Waiting uint64 // goroutines that wait for work: in Wait, and in copies to Go memory

	ImageHits uint64 // libraries that found their image loaded
	Trims     uint64 // how often pools gave back memory because it did not suffice
}

// Stats returns the figures of d. It asks nothing of the driver, works on a device that a fault
// has made unusable, and returns zeros after Close.
func (d *Device) Stats() Stats {
	if d.isClosed() {
		return Stats{}
	}
	s := Stats{ImageHits: d.counts.imageHits.Load(), Trims: d.counts.trims.Load()}
	use := d.memory.inUse()
	s.DeviceBytes, s.DeviceBytesPeak, s.Buffers = use.bytes[pooled], use.peak, use.number
	s.PageLockedBytes, s.ManagedBytes, s.AdoptedBytes = use.bytes[pageLocked]+use.bytes[registered], use.bytes[managed], use.bytes[adopted]
	s.ExportableBytes, s.ImportedBytes = use.bytes[exportable], use.bytes[imported]
	s.ArrayBytes, s.Textures, s.Surfaces = use.bytes[arrayed], use.bytes[textured], use.bytes[surfaced]
	s.Waiting = uint64(d.waits.waiting())
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Streams, s.Libraries, s.Images = uint64(len(d.streams)), uint64(len(d.libraries)), uint64(len(d.images))
	for key := range d.owned {
		switch key.(type) {
		case weak.Pointer[Event]:
			s.Events++
		case weak.Pointer[Pool]:
			s.Pools++
		case weak.Pointer[GraphExec]:
			s.Graphs++
		}
	}
	return s
}

// A Metric is one of Stats, as metrics libraries take it.
type Metric struct {
	Name    string // device_bytes: lower case and underscores
	Help    string
	Counter bool // it only grows; otherwise it is a gauge
	Value   uint64
}

// Metrics lists s in a fixed order.
func (s Stats) Metrics() []Metric {
	return []Metric{
		{"device_bytes", "Bytes of open device buffers.", false, s.DeviceBytes},
		{"device_bytes_peak", "The most bytes that open device buffers had.", false, s.DeviceBytesPeak},
		{"page_locked_bytes", "Bytes of open page-locked buffers.", false, s.PageLockedBytes},
		{"managed_bytes", "Bytes of open managed buffers.", false, s.ManagedBytes},
		{"adopted_bytes", "Bytes of open buffers of adopted memory.", false, s.AdoptedBytes},
		{"array_bytes", "Bytes of the elements of open arrays.", false, s.ArrayBytes},
		{"exportable_bytes", "Bytes of open buffers for other processes.", false, s.ExportableBytes},
		{"imported_bytes", "Bytes of open buffers of other processes.", false, s.ImportedBytes},
		{"buffers", "Open buffers.", false, s.Buffers},
		{"textures", "Open textures.", false, s.Textures},
		{"surfaces", "Open surfaces.", false, s.Surfaces},
		{"streams", "Open streams.", false, s.Streams},
		{"events", "Open events.", false, s.Events},
		{"pools", "Open memory pools.", false, s.Pools},
		{"graphs", "Open instantiated graphs.", false, s.Graphs},
		{"libraries", "Open libraries.", false, s.Libraries},
		{"images", "Images loaded for open libraries.", false, s.Images},
		{"waiting", "Goroutines that wait for work.", false, s.Waiting},
		{"image_hits", "Libraries that found their image loaded.", true, s.ImageHits},
		{"trims", "How often pools gave back memory because it did not suffice.", true, s.Trims},
	}
}
