package binarytrace

import (
	"errors"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// Error is why a trace cannot be read.
type Error = diag.Error

// ErrNoEvents: the file has no events, or not what is needed to read them.
var ErrNoEvents = errors.New("no events")

func noEvents(what, hint string) error { return &Error{What: what, Hint: hint, Err: ErrNoEvents} }

// The kinds of damage and loss.
var (
	kinds diag.Kinds

	truncated      = kinds.Add(trace.WarnDamaged, "", "the file is truncated; the part before is used")
	recovered      = kinds.Add(trace.WarnDamaged, "", "the recording was not finished: a length is missing; the rest of the file is used")
	trailing       = kinds.Add(trace.WarnDamaged, "byte", "after the last section; skipped")
	unknownSection = kinds.Add(trace.WarnDamaged, "×", "section of an unknown type; skipped")
	textTooLong    = kinds.Add(trace.WarnDamaged, "×", "section of names or formats larger than 16 MB; its beginning is used") // maxText
	badFormat      = kinds.Add(trace.WarnDamaged, "×", "format of an event not understood; its events are skipped")
	badPage        = kinds.Add(trace.WarnDamaged, "×", "damaged page; its events before the damage are used")
	badTime        = kinds.Add(trace.WarnDamaged, "×", "page or event with an impossible time; skipped")
	badThread      = kinds.Add(trace.WarnDamaged, "×", "event with an impossible thread id; skipped")
	badSegment     = kinds.Add(trace.WarnDamaged, "×", "segment that is no message; skipped")
	badMessage     = kinds.Add(trace.WarnDamaged, "×", "message that is not understood; skipped")
	shortRecord    = kinds.Add(trace.WarnDamaged, "×", "event shorter than its fields; skipped")
	unknownID      = kinds.Add(trace.WarnNotUnderstood, "×", "event of an unknown id; skipped")
	lostEvents     = kinds.Add(trace.WarnLost, "event", "lost while recording: the kernel's buffer was full")
	emptyMarkers   = kinds.Add(trace.WarnNotUnderstood, "×", "marker without text")
	twoClocks      = kinds.Add(trace.WarnClock, "×", "clocks that differ by more than 1 ms: the device slept while recording; the first are used")
	namesOver      = kinds.Add(trace.WarnOverLimit, "×", "name of a thread beyond the limit (limit: threads), skipped")
	scriptsOver    = kinds.Add(trace.WarnOverLimit, "×", "message of the arkts-plugin beyond 1 Mi; skipped")
	longName       = kinds.Add(trace.WarnOverLimit, "×", "name of a process beyond 4 KiB; skipped") // maxProcessName
	processesOver  = kinds.Add(trace.WarnOverLimit, "×", "process of process-plugin beyond the limit (limit: threads), skipped")
	badLog         = kinds.Add(trace.WarnNotUnderstood, "×", "message of hilog without a known level or a time; skipped")
	longLog        = kinds.Add(trace.WarnOverLimit, "×", "message of hilog beyond 4 KiB; its beginning is used") // maxLogText
	logsOver       = kinds.Add(trace.WarnOverLimit, "×", "data of hilog-plugin beyond 1 Mi; skipped")
	longEvent      = kinds.Add(trace.WarnOverLimit, "×", "event of the system beyond 256 KiB; skipped") // maxEventText
	eventsOver     = kinds.Add(trace.WarnOverLimit, "×", "data of hisysevent-plugin beyond 1 Mi; skipped")
	badTask        = kinds.Add(trace.WarnNotUnderstood, "×", "event of ffrt-profiler not understood; skipped")
	tasksOver      = kinds.Add(trace.WarnOverLimit, "×", "data of ffrt-profiler beyond 1 Mi; skipped")
)
