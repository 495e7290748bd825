package hitrace

import (
	"io"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/kernel"
)

// Source is a trace that is no text. It has the text, too, as its Reader.
type Source interface {
	io.Reader
	// Next adds the next events to an empty batch until it has a size. Times need not be in
	// order. At the end it returns io.EOF.
	Next(b *Batch, size int) error
}

// AddText adds lines of text, as they are counted, to the batch of a Source.
func (b *Batch) AddText(text []byte) { b.parseLines(text, len(text)) }

// AddLoss adds what a line says of lost events of a processor to the batch of a Source.
func (b *Batch) AddLoss(cpu trace.CPU, events int) {
	b.lines++
	b.losses = append(b.losses, loss{line: b.lines, cpu: cpu, events: events})
	b.problems = append(b.problems, lineProblem{b.lines, Ignorable})
}

// Add adds an event, as if it was a line, to the batch of a Source. Its Line and its Kind must be set: the args of a
// marker are its payload, those of others are for Batch.Decoder. Fields may be set.
func (b *Batch) Add() *Event {
	b.lines++
	n := len(b.Events)
	b.grow()
	b.Events = b.Events[:n+1]
	e := &b.Events[n]
	e.Number, e.Fields = b.lines, nil
	return e
}

// Set sets Event.Fields of an event that Add returned, from values of the kernel's event. Texts are copied.
func (b *Batch) Set(e *Event, event *kernel.Event, v *kernel.Values) {
	for i, text := range v.Texts {
		if text != nil {
			v.Texts[i] = b.Keep(text)
		}
	}
	e.Fields = b.fields.of(e.Kind, event, v)
}

// Keep returns a copy of bytes that is valid as long as the batch.
func (b *Batch) Keep(text []byte) []byte {
	from := len(b.memory)
	b.memory = append(b.memory, text...)
	return b.memory[from:len(b.memory):len(b.memory)]
}

// Size returns how many bytes of the batch are kept.
func (b *Batch) Size() int { return len(b.memory) }

// Lines returns the number of lines, with those that have no event.
func (b *Batch) Lines() int { return b.lines }

// complete completes the events that a Source has added. It drops those that cannot be read.
func (b *Batch) complete() {
	kept := 0
	for i := range b.Events {
		e := &b.Events[i]
		if problem := b.interpret(e); problem != NoProblem {
			b.problems = append(b.problems, lineProblem{e.Number, problem})
			continue
		}
		b.earliest, b.latest = min(b.earliest, e.Time), max(b.latest, e.Time)
		if kept < i {
			b.Events[kept] = *e
		}
		kept++
	}
	if kept < len(b.Events) {
		b.Events = b.Events[:kept]
		slices.SortFunc(b.problems, func(x, y lineProblem) int { return x.Line - y.Line })
	}
}
