package perfdata

import (
	"slices"

	"ohframe/analyzer/sample"
	"ohframe/internal/diag"
)

// The limits of mappings. A process of Linux has at most 64 Ki, those of devices some 3000.
const (
	maxMappings        = 1 << 18
	maxProcessMappings = 1 << 14
	maxCached          = 1 << 20 // addresses in the caches of all spaces
)

// mapping is a part of a module in the memory of a process: [start, end).
type mapping struct {
	start, end uint64
	offset     uint64 // of start, in the file
	module     int32
}

// space is the memory of a process. Its mappings do not overlap and are in order.
type space struct {
	mappings []mapping
	shared   bool // with a process that forked
	frames   map[uint64]int32
}

// memory is the memory of all processes.
type memory struct {
	log     *diag.DamageLog
	limit   int    // of processes
	version uint64 // differs after each change of a mapping
	spaces  map[int32]*space
	modules *space // of the kernel: its modules
	kernel  *space // its cache
	total   int    // mappings of all processes
	cached  int
}

func newMemory(l *diag.DamageLog, processes int) *memory {
	return &memory{log: l, limit: processes, spaces: map[int32]*space{}, modules: &space{}, kernel: &space{}}
}

// space returns the memory of a process. It is nil beyond the limit.
func (m *memory) space(pid int32) *space {
	s := m.spaces[pid]
	if s == nil && len(m.spaces) < m.limit {
		s = &space{}
		m.spaces[pid] = s
	}
	return s
}

// add adds a mapping to s, in place of what it overlaps.
func (m *memory) add(s *space, n mapping) {
	if s == nil || n.start >= n.end {
		return
	}
	if len(s.mappings)+2 > maxProcessMappings || m.total+2 > maxMappings {
		m.log.Add(mappingsOver)
		return
	}
	if s.shared {
		if m.total+len(s.mappings)+2 > maxMappings {
			m.log.Add(mappingsOver)
			return
		}
		s.mappings, s.shared = slices.Clone(s.mappings), false
		m.total += len(s.mappings)
	}
	before := len(s.mappings)
	from, _ := slices.BinarySearchFunc(s.mappings, n.start, func(x mapping, at uint64) int {
		if x.end <= at {
			return -1
		}
		return 1
	})
	to := from
	for to < len(s.mappings) && s.mappings[to].start < n.end {
		to++
	}
	replacement := make([]mapping, 0, 3)
	if from < to {
		if left := s.mappings[from]; left.start < n.start {
			left.end = n.start
			replacement = append(replacement, left)
		}
	}
	replacement = append(replacement, n)
	if from < to {
		if right := s.mappings[to-1]; right.end > n.end {
			right.offset += n.end - right.start
			right.start = n.end
			replacement = append(replacement, right)
		}
	}
	s.mappings = slices.Replace(s.mappings, from, to, replacement...)
	m.total += len(s.mappings) - before
	m.forget(s)
}

// forget drops the cached addresses of s.
func (m *memory) forget(s *space) {
	m.version++
	m.cached -= len(s.frames)
	s.frames = nil
}

// fork makes the memory of a process a copy of its parent's.
func (m *memory) fork(parent, child int32) {
	p, c := m.spaces[parent], m.space(child)
	if p == nil || c == nil || p == c {
		return
	}
	m.drop(c)
	c.mappings = p.mappings
	c.shared, p.shared = true, true
	// The parent's mappings stay counted once. Whoever changes them first makes a copy.
}

// drop removes the mappings of a process that runs another program.
func (m *memory) drop(s *space) {
	if !s.shared {
		m.total -= len(s.mappings)
	}
	s.mappings, s.shared = nil, false
	m.forget(s)
}

// find returns the mapping that contains an address, or nil.
func (s *space) find(at uint64) *mapping {
	i, _ := slices.BinarySearchFunc(s.mappings, at, func(x mapping, at uint64) int {
		if x.end <= at {
			return -1
		}
		return 1
	})
	if i == len(s.mappings) || s.mappings[i].start > at {
		return nil
	}
	return &s.mappings[i]
}

// cache stores the frame of an address of s.
func (m *memory) cache(s *space, at uint64, frame int32) {
	if m.cached >= maxCached {
		for _, other := range m.spaces {
			other.frames = nil
		}
		m.kernel.frames, m.cached = nil, 0
	}
	if s.frames == nil {
		s.frames = map[uint64]int32{}
	}
	s.frames[at] = frame
	m.cached++
}

// unknown is a frame of which only the address is known.
func unknown(at uint64) sample.Frame {
	return sample.Frame{Module: sample.Unknown, Function: sample.Unknown, Address: at}
}
