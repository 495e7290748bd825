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

// problem is a kind of damage.
type problem uint8

const (
	truncated      problem = iota // the file ends within a section, a segment or a message
	recovered                     // the length of the last section or part was never written
	trailing                      // bytes after the last section
	unknownSection                // a section of an unknown type
	textTooLong                   // a section of text beyond maxText
	badFormat                     // an event's format that is not understood
	badPage                       // a page whose length or records run over its end
	badTime                       // a page or event with an impossible time
	badThread                     // an event with an impossible thread id
	badSegment                    // a segment whose message is not understood
	badMessage                    // a message within a segment that is not understood
	shortRecord                   // an event that is shorter than its fields
	unknownID                     // an event of an unknown id
	lostEvents                    // events that the kernel dropped
	emptyMarkers                  // markers without text
	twoClocks                     // clocks that differ within the trace
	namesOver                     // names beyond the limit
	scriptsOver                   // data of the arkts-plugin beyond the limit
	longName                      // a name of a process beyond maxProcessName
	processesOver                 // processes of process-plugin beyond the limit
	badLog                        // a message of hilog without a level or time that is understood
	longLog                       // a message of hilog beyond maxLogText
	logsOver                      // data of hilog-plugin beyond the limit
	longEvent                     // an event of the system beyond maxEventText
	eventsOver                    // data of hisysevent-plugin beyond the limit
	badTask                       // an event of ffrt-profiler that is not understood
	tasksOver                     // data of ffrt-profiler beyond the limit
	problems                      // how many there are
)

var kinds = [problems]diag.Damage{
	truncated:      {Text: "the file is truncated; the part before is used"},
	recovered:      {Text: "the recording was not finished: a length is missing; the rest of the file is used"},
	trailing:       {Noun: "byte", Text: "after the last section; skipped"},
	unknownSection: {Text: "%d × section of an unknown type; skipped"},
	textTooLong:    {Text: "%d × section of names or formats larger than 16 MB; its beginning is used"},
	badFormat:      {Text: "%d × format of an event not understood; its events are skipped"},
	badPage:        {Text: "%d × damaged page; its events before the damage are used"},
	badTime:        {Text: "%d × page or event with an impossible time; skipped"},
	badThread:      {Text: "%d × event with an impossible thread id; skipped"},
	badSegment:     {Text: "%d × segment that is no message; skipped"},
	badMessage:     {Text: "%d × message that is not understood; skipped"},
	shortRecord:    {Text: "%d × event shorter than its fields; skipped"},
	unknownID:      {Text: "%d × event of an unknown id; skipped", Code: trace.WarnNotUnderstood},
	lostEvents:     {Noun: "event", Text: "lost while recording: the kernel's buffer was full", Code: trace.WarnLost},
	emptyMarkers:   {Text: "%d × marker without text", Code: trace.WarnNotUnderstood},
	twoClocks:      {Text: "%d × clocks that differ by more than 1 ms: the device slept while recording; the first are used", Code: trace.WarnClock},
	namesOver:      {Text: "%d × name of a thread beyond the limit (limit: threads), skipped", Code: trace.WarnOverLimit},
	longName:       {Text: "%d × name of a process beyond 4 KiB; skipped", Code: trace.WarnOverLimit},
	processesOver:  {Text: "%d × process of process-plugin beyond the limit (limit: threads), skipped", Code: trace.WarnOverLimit},
	badLog:         {Text: "%d × message of hilog without a known level or a time; skipped", Code: trace.WarnNotUnderstood},
	longLog:        {Text: "%d × message of hilog beyond 4 KiB; its beginning is used", Code: trace.WarnOverLimit},
	logsOver:       {Text: "%d × data of hilog-plugin beyond 1 Mi; skipped", Code: trace.WarnOverLimit},
	longEvent:      {Text: "%d × event of the system beyond 256 KiB; skipped", Code: trace.WarnOverLimit},
	eventsOver:     {Text: "%d × data of hisysevent-plugin beyond 1 Mi; skipped", Code: trace.WarnOverLimit},
	badTask:        {Text: "%d × event of ffrt-profiler not understood; skipped", Code: trace.WarnNotUnderstood},
	tasksOver:      {Text: "%d × data of ffrt-profiler beyond 1 Mi; skipped", Code: trace.WarnOverLimit},
	scriptsOver:    {Text: "%d × message of the arkts-plugin beyond 1 Mi; skipped", Code: trace.WarnOverLimit},
}

type log = diag.DamageLog[problem]

func newLog() *log { return diag.NewDamageLog[problem](kinds[:]) }
