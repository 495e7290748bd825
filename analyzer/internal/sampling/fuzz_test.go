package sampling_test

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// hostile makes a pair from bytes: any times, threads and processors.
func hostile(data []byte) (rec *sample.Recording, r *sampling.Running, timeline *analyzer.Timeline, given *trace.Duration) {
	next := func() int64 {
		if len(data) == 0 {
			return 0
		}
		n := min(len(data), 1+int(data[0]%8))
		var b [8]byte
		copy(b[:], data[1:n])
		data = data[n:]
		return int64(binary.LittleEndian.Uint64(b[:]))
	}
	options := next()
	timeline = &analyzer.Timeline{Clock: analyzer.ClockOffset{Offset: trace.Duration(next()), Source: analyzer.ClockSource(options & 7)}}
	timeline.Wall = analyzer.WallClock{At: trace.Time(next()), Unix: next()}
	rec = &sample.Recording{Profile: &sample.Profile{Clock: sample.Clock{ID: sample.ClockID(next())}, Events: []sample.Event{{Frequency: uint64(next())}, {Name: "sched_switch"}}}}
	var events []hitrace.Event
	at := max(next()&trace.MaxTime, 1)
	timeline.Span.Start = trace.Time(at)
	for range next() & 255 {
		n := next()
		at = min(at+n>>16&0xff_ffff, trace.MaxTime)
		e := hitrace.Event{Kind: hitrace.SwitchEvent, Lost: n&0x100 != 0, Fields: &hitrace.Switch{PrevTID: trace.TID(n & 3), NextTID: trace.TID(n >> 2 & 3)}}
		e.Time, e.CPU, e.TID = trace.Time(at), trace.CPU(n>>4&3)-1, trace.TID(n&3)
		events = append(events, e)
	}
	timeline.Span.End = trace.Time(at)
	r = sampling.NewRunning(trace.Limits{States: int(1 + options>>8&255)})
	sink := r.Sink()
	half := len(events) * int(options>>4&3) / 4
	sink.Track(0, &hitrace.Batch{Events: events[:half]})
	sink.Begin()
	sink.Track(0, &hitrace.Batch{Events: events[half:]})
	from := trace.Time(next())
	for len(data) > 0 {
		n := next()
		s := sample.Sample{TID: int32(n & 3), CPU: int32(n>>2&3) - 1, Event: int32(n >> 4 & 1), Stack: int32(len(rec.Samples))}
		switch n >> 5 & 7 {
		case 0:
			from = trace.Time(n)
		case 1:
			from = math.MaxInt64
		}
		from += trace.Time(n >> 8 & 0xffffff)
		s.Time = from
		rec.Samples = append(rec.Samples, s)
	}
	slices.SortStableFunc(rec.Samples, func(a, b sample.Sample) int {
		if a.Time < b.Time {
			return -1
		}
		return 1
	})
	if options&8 != 0 {
		d := trace.Duration(next())
		given = &d
	}
	return rec, r, timeline, given
}

// No input makes Align panic, and what it returns is the same each time: samples in order of time, within the trace.
func FuzzAlign(f *testing.F) {
	for _, c := range []scene{usual, {threads: []workload{periodic}, recorded: 1, length: trace.Second, to: trace.Second, frequency: 500, hertz: 60}} {
		p := c.pair()
		data := binary.LittleEndian.AppendUint64([]byte{7}, 0)
		for _, s := range p.rec.Samples[:100] {
			data = append(binary.LittleEndian.AppendUint64(append(data, 7), uint64(s.Time)<<8|uint64(s.TID&3)), 3)
		}
		f.Add(data)
	}
	f.Add(slices.Repeat([]byte{3, 255, 1, 7, 9, 200, 41, 17}, 300))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, r, timeline, given := hostile(data)
		all := len(rec.Samples)
		err := sampling.Align(rec, r, timeline, given)
		a := rec.Alignment
		switch {
		case err != nil:
			if len(rec.Samples) != all || a != (sample.Alignment{}) {
				t.Errorf("%v, but %+v", err, a)
			}
			return
		case all == 0:
			return
		case len(rec.Samples)+a.Outside != all || len(rec.Samples) == 0 || a.Hits > a.Checked || a.Checked > all:
			t.Errorf("%d of %d samples: %+v", len(rec.Samples), all, a)
		}
		for i, s := range rec.Samples {
			if s.Time < timeline.Span.Start || s.Time > timeline.Span.End || i > 0 && s.Time < rec.Samples[i-1].Time {
				t.Errorf("sample %d at %d, trace from %d to %d", i, s.Time, timeline.Span.Start, timeline.Span.End)
			}
		}
		again, r, timeline, given := hostile(data)
		if err := sampling.Align(again, r, timeline, given); err != nil || !reflect.DeepEqual(again, rec) {
			t.Errorf("%v: %+v, then %+v", err, again, rec)
		}
	})
}
