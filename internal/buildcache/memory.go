package buildcache

import "container/list"

// A memory holds the builds used last, up to limit bytes.
type memory struct {
	limit, size int64
	entries     map[Key]*list.Element // of remembered
	used        list.List             // the last one used is at the front
	evictions   int64
}

type remembered struct {
	key  Key
	data string
}

func (m *memory) get(key Key) (data string, ok bool) {
	e, ok := m.entries[key]
	if !ok {
		return "", false
	}
	m.used.MoveToFront(e)
	return e.Value.(remembered).data, true
}

func (m *memory) put(key Key, data string) {
	if _, ok := m.entries[key]; ok || int64(len(data)) > m.limit {
		return
	}
	if m.entries == nil {
		m.entries = make(map[Key]*list.Element)
	}
	m.entries[key] = m.used.PushFront(remembered{key, data})
	m.size += int64(len(data))
	for m.size > m.limit {
		oldest := m.used.Remove(m.used.Back()).(remembered)
		delete(m.entries, oldest.key)
		m.size -= int64(len(oldest.data))
		m.evictions++
	}
}
