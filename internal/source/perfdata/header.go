package perfdata

import (
	"encoding/binary"
	"math"

	"ohframe/analyzer/sample"
)

// The limits of a header.
const (
	headerSize = 104
	maxAttr    = 4096    // bytes of the description of an event; Linux has 136
	maxEvents  = 1024    // events
	maxIDs     = 1 << 20 // ids of events: one for each event, processor and thread
	features   = 256
)

// Features of a file: sections after the data.
const (
	featureCommand    = 11
	featureEvents     = 12
	featureClock      = 29
	featureFiles      = 128 // of old versions of simpleperf
	featureFiles2     = 132
	featureSymbols    = 192
	featureRecordTime = 194
	featureDevhost    = 196 // of hiperf from 2023; before that, the number of featureStacks
	featureStacks     = 197
)

// attr is how an event is recorded.
type attr struct {
	sampleType, readFormat uint64
	registers              uint64
	branchType             uint64
	idAll                  bool // all records have a time
}

// section is a part of a file.
type section struct{ offset, size uint64 }

// in reports whether the section is within a file.
func (s section) in(size int64) bool {
	return s.offset <= uint64(size) && s.size <= uint64(size)-s.offset
}

// readAttrs reads the descriptions of the events.
func (p *perf) readAttrs(s section, size uint64) error {
	const least = 64 + 16 // of the first version, with the section of ids
	if size < least || size > maxAttr || !s.in(p.size) || s.size < size {
		return &Error{What: "perf data without a valid description of its events", Hint: "copy the file again"}
	}
	b := make([]byte, size)
	for i := range s.size / size {
		if len(p.attrs) == maxEvents {
			p.log.AddMany(eventsOver, int(min(s.size/size-i, 1<<40)))
			break
		}
		if err := readAt(p.in, b, int64(s.offset+i*size)); err != nil {
			return err
		}
		fixed := make([]byte, max(int(size)-16, 128)) // zeros for what older versions lack
		copy(fixed, b[:size-16])
		p.addAttr(fixed)
		ids := section{binary.LittleEndian.Uint64(b[size-16:]), binary.LittleEndian.Uint64(b[size-8:])}
		if err := p.readIDs(ids, int32(i)); err != nil {
			return err
		}
	}
	return nil
}

// Bits of the flags of an event.
const (
	flagFrequency  = 1 << 10
	flagIDAll      = 1 << 18
	flagUseClockID = 1 << 25
)

// addAttr adds an event by its perf_event_attr.
func (p *perf) addAttr(b []byte) {
	le := binary.LittleEndian
	flags := le.Uint64(b[40:])
	p.attrs = append(p.attrs, attr{
		sampleType: le.Uint64(b[24:]), readFormat: le.Uint64(b[32:]), branchType: le.Uint64(b[72:]),
		registers: le.Uint64(b[80:]), idAll: flags&flagIDAll != 0,
	})
	event := sample.Event{Period: le.Uint64(b[16:])}
	if flags&flagFrequency != 0 {
		event.Frequency, event.Period = event.Period, 0
	}
	profile := &p.tables.profile
	profile.Events = append(profile.Events, event)
	clock := sample.ClockPerf
	if flags&flagUseClockID != 0 {
		clock = sample.ClockUnknown
		if id := int32(le.Uint32(b[92:])); id >= 0 && id <= math.MaxInt8 {
			clock = sample.ClockID(id)
		}
	}
	if len(p.attrs) == 1 {
		profile.Clock.ID = clock
	} else if profile.Clock.ID != clock {
		profile.Clock.ID = sample.ClockUnknown // events on several clocks
	}
}

func (p *perf) readIDs(s section, event int32) error {
	if s.size == 0 {
		return nil
	}
	if !s.in(p.size) {
		p.log.Add(badSection)
		return nil
	}
	n := s.size / 8
	if room := uint64(maxIDs - len(p.byID)); n > room {
		p.log.AddMany(eventsOver, int(n-room))
		n = room
	}
	b := make([]byte, n*8)
	if err := readAt(p.in, b, int64(s.offset)); err != nil {
		return err
	}
	for ; len(b) > 0; b = b[8:] {
		p.byID[binary.LittleEndian.Uint64(b)] = event
	}
	return nil
}

// readFeatures reads the sections after the data, whose table is at an offset. present has a
// bit for each that there is.
func (p *perf) readFeatures(present []byte, at uint64) error {
	for i := range features {
		if present[i/8]>>(i%8)&1 == 0 {
			continue
		}
		var b [16]byte
		if !(section{at, 16}).in(p.size) {
			p.log.Add(truncated)
			return nil
		}
		if err := readAt(p.in, b[:], int64(at)); err != nil {
			return err
		}
		at += 16
		s := section{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
		switch i {
		case featureCommand, featureEvents, featureClock, featureFiles, featureFiles2, featureSymbols, featureRecordTime, featureDevhost, featureStacks:
		default:
			continue
		}
		switch {
		case !s.in(p.size):
			p.log.Add(badSection)
		case s.size > maxSection:
			p.log.Add(largeSection)
		default:
			data := make([]byte, s.size)
			if err := readAt(p.in, data, int64(s.offset)); err != nil {
				return err
			}
			p.feature(i, data)
		}
	}
	return nil
}

func (p *perf) feature(i int, data []byte) {
	profile := &p.tables.profile
	c := cursor{rest: data}
	switch i {
	case featureFiles:
		p.readSimpleperfOld(data)
	case featureFiles2:
		p.readSimpleperf(data)
	case featureSymbols:
		p.readSymbols(data)
	case featureStacks:
		if !p.readStacks(data) {
			p.log.Add(badTable)
		}
	case featureDevhost:
		// Today a text, which ends where the section ends. A table of stacks is never one: it would
		// have as many processes as it has bytes.
		if c.text(); c.short || len(c.rest) > 0 {
			p.stacks.indexBits = oldIndexBits
			if !p.readStacks(data) {
				p.log.Add(badTable)
			}
		}
	case featureCommand:
		profile.Command = p.command(data)
	case featureRecordTime:
		text := c.text()
		profile.Recorded = valid(text[:min(len(text), maxName)])
	case featureClock: // version, clock, real time, time of the clock
		if c.u32() == 1 && profile.Clock.ID == sample.ClockID(min(c.u32(), math.MaxInt8)) {
			profile.Clock.Unix, profile.Clock.At = c.u64(), c.u64()
		}
	case featureEvents:
		p.readEvents(&c)
	}
}

// command returns the command that recorded the file. hiperf stores it as one text, Linux perf as
// a list.
func (p *perf) command(data []byte) string {
	c := cursor{rest: data}
	text := c.text()
	if c.short || len(c.rest) > 0 {
		c = cursor{rest: data}
		text = nil
		for n := c.u32(); n > 0 && !c.short && len(text) < maxName; n-- {
			if len(text) > 0 {
				text = append(text, ' ')
			}
			text = append(text, c.text()...)
		}
	}
	return valid(text[:min(len(text), maxName)])
}

// readEvents reads the names of the events, which are in the order of their descriptions.
func (p *perf) readEvents(c *cursor) {
	events := p.tables.profile.Events
	n, size := c.u32(), c.u32()
	for i := uint32(0); i < n && int(i) < len(events) && !c.short; i++ {
		c.take(uint64(size))
		ids := c.u32()
		name := c.text()
		c.skip(uint64(ids))
		events[i].Name = valid(name[:min(len(name), maxName)])
	}
	if c.short {
		p.log.Add(badSection)
	}
}
