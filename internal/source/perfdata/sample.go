package perfdata

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
)

// Fields of a sample, in the order of the record except for the first.
const (
	sampleIP         = 1 << 0
	sampleTID        = 1 << 1
	sampleTime       = 1 << 2
	sampleAddr       = 1 << 3
	sampleRead       = 1 << 4
	sampleCallchain  = 1 << 5
	sampleID         = 1 << 6
	sampleCPU        = 1 << 7
	samplePeriod     = 1 << 8
	sampleStreamID   = 1 << 9
	sampleRaw        = 1 << 10
	sampleBranches   = 1 << 11
	sampleRegisters  = 1 << 12
	sampleStack      = 1 << 13
	sampleIdentifier = 1 << 16
	sampleServers    = 1 << 31 // hiperf on the HongMeng kernel
)

// Values among the addresses of a stack that say where the following ones are.
const (
	contextKernel = math.MaxUint64 - 128 + 1
	contextUser   = math.MaxUint64 - 512 + 1
	contextFirst  = math.MaxUint64 - 4095 + 1
)

// recentStack is the stack of a list of addresses: most stacks occur many times.
type recentStack struct {
	hash  xxh3.Uint128
	stack int32
}

// recentBits is such that the stacks of several seconds find room. Each needs 24 bytes.
const recentBits = 16

// sample reads a sample, and reports whether it is whole.
func (p *perf) sample(s *sample.Sample, b []byte, misc uint16) (bool, error) {
	c := cursor{rest: b}
	a, event := &p.attrs[0], int32(0)
	find := func(id uint64) {
		if i, ok := p.byID[id]; ok {
			a, event = &p.attrs[i], i
		} else if len(p.attrs) > 1 {
			event = sample.Unknown
		}
	}
	if a.sampleType&sampleIdentifier != 0 {
		find(c.u64())
	}
	has := func(field uint64) bool { return a.sampleType&field != 0 }
	*s = sample.Sample{CPU: sample.Unknown, Stack: sample.Unknown, Period: 1, Kernel: misc&miscMode == miscKernel}
	var ip, time uint64
	if has(sampleIP) {
		ip = c.u64()
	}
	if has(sampleTID) {
		s.PID, s.TID = int32(c.u32()), int32(c.u32())
	}
	if has(sampleTime) {
		time = c.u64()
	}
	if has(sampleAddr) {
		c.u64()
	}
	if has(sampleID) {
		id := c.u64()
		if !has(sampleIdentifier) {
			find(id)
		}
	}
	if has(sampleStreamID) {
		c.u64()
	}
	if has(sampleCPU) {
		if cpu := c.u32(); cpu < maxCPU {
			s.CPU = int32(cpu)
		}
		c.u32()
	}
	if has(samplePeriod) {
		s.Period = c.u64()
	} else if fixed := p.tables.profile.Events[max(event, 0)].Period; fixed > 0 {
		s.Period = fixed
	}
	if has(sampleRead) {
		skipRead(&c, a.readFormat)
	}
	var chain []byte
	if has(sampleCallchain) {
		chain = c.list(c.u64())
	}
	if c.short {
		p.log.Add(badSample)
		return false, nil
	}
	if time > uint64(trace.MaxTime) {
		p.log.Add(badTime)
		return false, nil
	}
	s.Time, s.Event = trace.Time(time), event
	if err := p.applyEarly(time); err != nil {
		return false, err
	}
	if !p.tables.thread(s.PID, s.TID, nil) {
		return false, nil
	}
	var recent *recentStack
	var hash xxh3.Uint128
	if len(chain) > 0 && !has(sampleServers) {
		seed := p.memory.version<<33 | uint64(uint32(s.PID))<<1
		if s.Kernel {
			seed |= 1
		}
		hash = xxh3.Hash128Seed(chain, seed)
		recent = &p.recent[hash.Lo&(1<<recentBits-1)]
		if recent.hash == hash {
			s.Stack = recent.stack
			return true, nil
		}
	}
	p.addresses = p.addresses[:0]
	for ; len(chain) > 0; chain = chain[8:] {
		p.addresses = append(p.addresses, binary.LittleEndian.Uint64(chain))
	}
	servers := p.tail(&c, a, s)
	over := p.log.Count(deepStack) + p.log.Count(stacksOver)
	s.Stack = p.stack(s, ip, has(sampleIP), servers)
	if recent != nil && over == p.log.Count(deepStack)+p.log.Count(stacksOver) && !p.fromIP {
		*recent = recentStack{hash, s.Stack}
	}
	return true, nil
}

// skipRead skips the counts of events in a sample.
func skipRead(c *cursor, format uint64) {
	const enabled, running, id, group, lost = 1, 2, 4, 8, 16
	per := uint64(1)
	for _, bit := range [...]uint64{id, lost} {
		if format&bit != 0 {
			per++
		}
	}
	n := uint64(1)
	if format&group != 0 {
		n = c.u64()
	}
	for _, bit := range [...]uint64{enabled, running} {
		if format&bit != 0 {
			c.u64()
		}
	}
	if n > math.MaxUint64/per {
		n = math.MaxUint64 / per
	}
	c.skip(n * per)
}

// tail reads what follows the addresses of a sample: the processes that ran them, and the id of
// a deduplicated stack, whose addresses it adds. Only hiperf writes these.
func (p *perf) tail(c *cursor, a *attr, s *sample.Sample) (servers []byte) {
	if len(p.stacks.calls) == 0 && a.sampleType&sampleServers == 0 {
		return nil
	}
	if a.sampleType&sampleRaw != 0 {
		c.take(uint64(c.u32()))
	}
	if a.sampleType&sampleBranches != 0 {
		const index = 1 << 17 // of branchType: an index comes before the branches
		n := c.u64()
		if a.branchType&index != 0 {
			c.u64()
		}
		if n > uint64(len(c.rest)) {
			n = uint64(len(c.rest)) // too many in any case
		}
		c.skip(n * 3)
	}
	if a.sampleType&sampleRegisters != 0 && c.u64() != 0 {
		c.skip(uint64(bits.OnesCount64(a.registers)))
	}
	if a.sampleType&sampleServers != 0 {
		servers = c.list(c.u64())
	}
	if a.sampleType&sampleStack != 0 {
		if n := c.u64(); n > 0 {
			c.take(n)
			c.u64()
		}
	}
	if c.short {
		p.log.Add(badStack)
		return nil
	}
	if len(p.addresses) == 0 && len(c.rest) == 8 {
		var whole bool
		if p.addresses, whole = p.stacks.addresses(p.addresses, s.PID, c.u64()); !whole {
			p.log.Add(badStack)
		}
	}
	return servers
}

// stack returns the index of the stack of a sample with p.addresses, which may be empty.
func (p *perf) stack(s *sample.Sample, ip uint64, hasIP bool, servers []byte) int32 {
	p.frames = p.frames[:0]
	process := p.memory.spaces[s.PID]
	kernel := s.Kernel
	server := 0
	for i, at := range p.addresses {
		if at >= contextFirst {
			switch at {
			case contextKernel:
				kernel = true
			case contextUser:
				kernel = false
			}
			if i > 0 {
				server++
			}
			continue
		}
		if at < 2 { // what unwinding ends with
			continue
		}
		if len(p.frames) == maxDepth {
			p.log.Add(deepStack)
			break
		}
		in := process
		if len(servers) > 0 && server < len(servers)/8 {
			in = p.memory.spaces[int32(binary.LittleEndian.Uint64(servers[server*8:]))]
		}
		p.frames = append(p.frames, p.addressFrame(in, at, kernel))
	}
	p.fromIP = len(p.frames) == 0
	if p.fromIP && hasIP {
		p.frames = append(p.frames, p.addressFrame(process, ip, s.Kernel))
	}
	return p.tables.stack(p.frames)
}

func (p *perf) addressFrame(s *space, at uint64, kernel bool) int32 {
	if kernel {
		// On the HongMeng kernel, drivers and services are processes with mappings.
		if s != nil {
			if m := s.find(at); m != nil && m.module != sample.Unknown && isService(p.tables.profile.Modules[m.module].Path) {
				return p.userFrame(s, at)
			}
		}
		return p.kernelFrame(at)
	}
	return p.userFrame(s, at)
}
