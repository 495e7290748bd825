package perfdata

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/kernel"
)

const protoMagic = "HIPERF_PB_"

// protoHeader is the size of the magic and the version.
const protoHeader = 12

// Numbers of fields of messages.
//
// Source: openharmony/developtools_hiperf, report_sample.proto.
const (
	recordIsSample    = 1
	recordIsStatistic = 2
	recordIsFile      = 3
	recordIsThread    = 4
	recordIsInfo      = 5
)

// proto is the source of a report that hiperf wrote as protobuf. Its files and threads may come
// after the samples.
type proto struct {
	log    *diag.DamageLog
	tables *tables
	files  map[uint64]*protoFile
	names  int // of functions
	data   *bufio.Reader
	left   int64
	buffer []byte
	frames []int32
	values kernel.Values
}

// protoFile is a file with the names of its functions.
type protoFile struct {
	module    int32
	first     int32 // the number of names in the files before
	functions [][]byte
}

func openProto(in io.ReaderAt, size int64, t *tables) (*proto, error) {
	var head [protoHeader]byte
	if size < protoHeader {
		return nil, &Error{What: "a hiperf report that is cut within its header", Hint: "copy the file again"}
	}
	if err := readAt(in, head[:], 0); err != nil {
		return nil, err
	}
	if v := binary.LittleEndian.Uint16(head[len(protoMagic):]); v != 1 {
		return nil, &Error{What: "a hiperf report of another version", Err: ErrUnsupported}
	}
	t.profile.Clock.ID = sample.ClockUnknown
	p := &proto{log: t.log, tables: t, files: map[uint64]*protoFile{}}
	open := func() {
		p.left = size - protoHeader
		p.data = bufio.NewReaderSize(io.NewSectionReader(in, protoHeader, p.left), 256<<10)
	}
	open()
	for {
		m, err := p.message(false)
		if err != nil {
			return nil, err
		}
		if m == nil {
			break
		}
		p.describe(m)
	}
	open()
	return p, nil
}

// message reads the next message. At the end it is nil. It is valid until the next call. Damage is
// counted if count is set.
func (p *proto) message(count bool) ([]byte, error) {
	for {
		var head [4]byte
		if p.left < 4 {
			if count {
				p.log.Add(truncated) // there is always a zero at the end
			}
			p.left = 0
			return nil, nil
		}
		if _, err := io.ReadFull(p.data, head[:]); err != nil {
			return nil, unexpected(err)
		}
		p.left -= 4
		n := int64(binary.LittleEndian.Uint32(head[:]))
		switch {
		case n == 0:
			p.left = 4 // a further call returns the end, too
			p.data.Reset(zeros{})
			return nil, nil
		case n > p.left:
			if count {
				p.log.Add(truncated)
			}
			p.left = 4
			p.data.Reset(zeros{})
			return nil, nil
		case n > maxSection:
			if count {
				p.log.Add(largeSection)
			}
			p.left -= n
			if _, err := io.CopyN(io.Discard, p.data, n); err != nil {
				return nil, unexpected(err)
			}
			continue
		}
		p.left -= n
		if int64(cap(p.buffer)) < n {
			p.buffer = make([]byte, max(n, 4096))
		}
		p.buffer = p.buffer[:n]
		_, err := io.ReadFull(p.data, p.buffer)
		return p.buffer, unexpected(err)
	}
}

// zeros is an endless end of a report.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// describe reads a record that is not a sample.
func (p *proto) describe(m []byte) {
	profile := &p.tables.profile
	f, ok := kernel.Fields{Rest: m}, true
	for f.Next() {
		switch f.Number {
		case recordIsStatistic:
			ok = p.values.Read(f.Data) && ok
			profile.Lost = min(p.values.Numbers[2], 1<<40)
		case recordIsFile:
			ok = p.file(f.Data) && ok
		case recordIsThread:
			ok = p.values.Read(f.Data) && ok
			p.tables.thread(int32(p.values.Numbers[2]), int32(p.values.Numbers[1]), p.values.Texts[3])
		case recordIsInfo:
			info := kernel.Fields{Rest: f.Data}
			for info.Next() {
				switch text := valid(info.Data[:min(len(info.Data), maxName)]); {
				case info.Number == 1 && len(profile.Events) < maxEvents:
					profile.Events = append(profile.Events, sample.Event{Name: text})
				case info.Number == 1:
					p.log.Add(eventsOver)
				case info.Number == 2:
					profile.Command = text
				}
			}
			ok = ok && !info.Bad
		}
	}
	if f.Bad || !ok {
		p.log.Add(badMessage)
	}
}

func (p *proto) file(data []byte) bool {
	file := &protoFile{module: sample.Unknown, first: int32(p.names)}
	id := uint64(0)
	f := kernel.Fields{Rest: data}
	for f.Next() {
		switch {
		case f.Number == 1:
			id = f.Value
		case f.Number == 2:
			file.module = p.tables.module(f.Data, isKernel(f.Data))
		case f.Number == 3 && p.names >= maxSymbols:
			p.log.Add(symbolsOver)
		case f.Number == 3:
			file.functions = append(file.functions, bytes.Clone(f.Data[:min(len(f.Data), maxName)]))
			p.names++
		}
	}
	if len(p.files) < maxModules {
		p.files[id] = file
	}
	return !f.Bad
}

// next implements source.
func (p *proto) next(s *sample.Sample) error {
	for {
		m, err := p.message(true)
		if err != nil {
			return err
		}
		if m == nil {
			p.log.Set(lostSamples, int(p.tables.profile.Lost))
			return io.EOF
		}
		var data []byte
		for f := (kernel.Fields{Rest: m}); f.Next(); { // damage was counted
			if f.Number == recordIsSample {
				data = f.Data
			}
		}
		if data != nil && p.sample(s, data) {
			return nil
		}
	}
}

func (p *proto) sample(s *sample.Sample, data []byte) bool {
	*s = sample.Sample{CPU: sample.Unknown, Event: sample.Unknown, Stack: sample.Unknown, Period: 1}
	p.frames = p.frames[:0]
	deep, badTimes := false, false
	f := kernel.Fields{Rest: data}
	for f.Next() {
		switch f.Number {
		case 1:
			badTimes = f.Value > uint64(trace.MaxTime)
			s.Time = trace.Time(f.Value)
		case 2:
			s.TID = int32(f.Value)
		case 3:
			if deep = len(p.frames) == maxDepth; !deep {
				p.frames = append(p.frames, p.frame(f.Data))
			}
		case 4:
			s.Period = f.Value
		case 5:
			if f.Value < uint64(len(p.tables.profile.Events)) {
				s.Event = int32(f.Value)
			}
		}
	}
	switch {
	case f.Bad:
		p.log.Add(badSample)
		return false
	case badTimes:
		p.log.Add(badTime)
		return false
	case deep:
		p.log.Add(deepStack)
	}
	s.PID = p.tables.pid(s.TID)
	if !p.tables.thread(s.PID, s.TID, nil) {
		return false
	}
	s.Stack = p.tables.stack(p.frames)
	if s.Stack != sample.Unknown {
		profile := &p.tables.profile
		m := profile.Frames[profile.Stacks[s.Stack].Frame].Module
		s.Kernel = m != sample.Unknown && profile.Modules[m].Kernel
	}
	return true
}

// frame returns the index of the frame in a message.
func (p *proto) frame(data []byte) int32 {
	var address uint64
	file, function := uint64(1<<32), int64(sample.Unknown)
	for f := (kernel.Fields{Rest: data}); f.Next(); {
		switch f.Number {
		case 1:
			address = f.Value
		case 2:
			file = f.Value
		case 3:
			function = int64(f.Value)
		}
	}
	f := unknown(address)
	if in := p.files[file]; in != nil {
		f.Module = in.module
		if function >= 0 && function < int64(len(in.functions)) {
			p.tables.named(&f, in.first+int32(function), in.functions[function])
		}
	}
	return p.tables.frame(f)
}
