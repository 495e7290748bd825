package perfdata

import (
	"errors"
	"fmt"

	"ohframe/analyzer/trace"
	"ohframe/internal/failure"
	"ohframe/internal/plural"
)

// Error is why a file cannot be read.
type Error = failure.Error

// ErrUnsupported: the file has a form that is not read.
var ErrUnsupported = errors.New("unsupported")

// ErrDamaged: the file is damaged so that nothing can be read or, in strict mode, at all.
var ErrDamaged = errors.New("damaged")

// problem is a kind of damage or loss.
type problem uint8

const (
	truncated     problem = iota // the file ends within its data
	recovered                    // the recording was not finished
	badRecord                    // a record that runs over its end
	badSample                    // a sample that is shorter than its fields
	badTime                      // a sample with an impossible time
	badSection                   // a section that runs over the end of the file
	badSymbols                   // a table of symbols that ends early
	badTable                     // a table of stacks that ends early
	badStack                     // a stack that the table does not have, or that has a cycle
	badMessage                   // a message that is not understood
	cutProfile                   // a profile of scripts that ends early
	badProfile                   // a profile of scripts that is not understood
	badNode                      // a call of scripts that is not understood, or has several callers
	badPair                      // a sample of scripts without a time
	unknownCall                  // a sample of scripts in a call that the profile does not have
	largeSection                 // a section beyond maxSection
	deepStack                    // a stack beyond maxDepth
	stacksOver                   // stacks beyond maxStacks, maxFrames or maxModules
	mappingsOver                 // mappings beyond maxMappings or maxProcessMappings
	threadsOver                  // threads beyond the limit
	symbolsOver                  // symbols and nodes of stacks beyond maxSymbols
	nodesOver                    // calls of scripts beyond maxNodes
	eventsOver                   // events and their ids beyond maxEvents or maxIDs
	compressed                   // compressed records
	lostSamples                  // samples that were lost while recording
	unknownThread                // samples of threads without a name
	problems                     // how many there are
)

var problemTexts = [problems]struct {
	noun, text string
	normal     bool // strict mode accepts it
}{
	truncated:     {text: "the file is truncated; the part before is used"},
	recovered:     {text: "the recording was not finished: it has no symbols, and its size is missing"},
	badRecord:     {text: "%d × record that runs over the end of its section; the rest is skipped"},
	badSample:     {text: "%d × sample shorter than its fields; skipped"},
	badTime:       {text: "%d × sample with an impossible time; skipped"},
	badSection:    {text: "%d × section outside the file; skipped"},
	badSymbols:    {text: "%d × table of symbols that ends early; its beginning is used"},
	badTable:      {text: "%d × table of stacks that ends early; its beginning is used"},
	badStack:      {text: "%d × sample whose stack is damaged; its innermost calls are used"},
	badMessage:    {text: "%d × message that is not understood; skipped"},
	cutProfile:    {text: "%d × profile of ArkTS that ends early; skipped"},
	badProfile:    {text: "%d × profile of ArkTS that is not understood; skipped"},
	badNode:       {text: "%d × call of ArkTS that is not understood, or has several callers; skipped"},
	badPair:       {text: "%d × sample of ArkTS without a time, or time without a sample; skipped"},
	unknownCall:   {text: "%d × sample of ArkTS in a call that its profile does not have; without its stack"},
	largeSection:  {text: "%d × section or message larger than 64 MiB; skipped", normal: true},
	deepStack:     {text: "%d × stack of more than 1024 calls; the innermost are used", normal: true},
	stacksOver:    {text: "%d × sample without its stack: more than 4 Mi calls, 1 Mi addresses or 64 Ki files", normal: true},
	mappingsOver:  {text: "%d × mapping beyond 16 Ki of a process or 256 Ki in all; skipped", normal: true},
	threadsOver:   {text: "%d × thread or process beyond the limit (limit: threads); skipped", normal: true},
	symbolsOver:   {text: "%d × symbol or call of a table beyond 4 Mi; skipped", normal: true},
	nodesOver:     {text: "%d × call of ArkTS beyond 1 Mi of a profile; skipped", normal: true},
	eventsOver:    {text: "%d × event beyond 1024, or id beyond 1 Mi; skipped", normal: true},
	compressed:    {text: "%d × block of compressed records; skipped: record without -z", normal: true},
	lostSamples:   {noun: "sample", text: "lost while recording", normal: true},
	unknownThread: {text: "%d × thread without a name", normal: true},
}

// log counts problems.
type log struct {
	strict bool
	counts [problems]int
	err    error // the first damage, in strict mode
}

func (l *log) add(p problem) { l.addMany(p, 1) }

func (l *log) addMany(p problem, n int) {
	l.counts[p] += n
	if l.strict && l.err == nil && n > 0 && !problemTexts[p].normal {
		l.err = &Error{What: p.text(n), Err: ErrDamaged}
	}
}

func (p problem) text(n int) string {
	switch t := problemTexts[p]; {
	case t.noun != "":
		return plural.Count(n, t.noun) + " " + t.text
	case p != truncated && p != recovered:
		return fmt.Sprintf(t.text, n)
	default:
		return t.text
	}
}

func (l *log) warnings() []trace.Warning {
	var list []trace.Warning
	for p, n := range l.counts {
		if n > 0 {
			list = append(list, trace.Warning{Code: problem(p).code(), Count: n, Text: problem(p).text(n)})
		}
	}
	return list
}

// code returns the kind of the warning about the problem.
func (p problem) code() trace.WarningCode {
	switch p {
	case lostSamples:
		return trace.WarnLost
	case unknownThread:
		return trace.WarnMissing
	case compressed:
		return trace.WarnNotUnderstood
	case largeSection, deepStack, stacksOver, mappingsOver, threadsOver, symbolsOver, nodesOver, eventsOver:
		return trace.WarnOverLimit
	}
	return trace.WarnDamaged
}
