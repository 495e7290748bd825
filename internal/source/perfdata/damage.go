package perfdata

import (
	"errors"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// Error is why a file cannot be read.
type Error = diag.Error

// ErrUnsupported: the file has a form that is not read.
var ErrUnsupported = errors.New("unsupported")

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
	badCall                      // a line of a stack that is not understood
	lostSamples                  // samples that were lost while recording
	unknownThread                // samples of threads without a name
	problems                     // how many there are
)

var kinds = [problems]diag.Damage{
	truncated:     {Text: "the file is truncated; the part before is used"},
	recovered:     {Text: "the recording was not finished: it has no symbols, and its size is missing"},
	badRecord:     {Text: "%d × record that runs over the end of its section; the rest is skipped"},
	badSample:     {Text: "%d × sample shorter than its fields; skipped"},
	badTime:       {Text: "%d × sample with an impossible time; skipped"},
	badSection:    {Text: "%d × section outside the file; skipped"},
	badSymbols:    {Text: "%d × table of symbols that ends early; its beginning is used"},
	badTable:      {Text: "%d × table of stacks that ends early; its beginning is used"},
	badStack:      {Text: "%d × sample whose stack is damaged; its innermost calls are used"},
	badMessage:    {Text: "%d × message that is not understood; skipped"},
	cutProfile:    {Text: "%d × profile of ArkTS that ends early; skipped"},
	badProfile:    {Text: "%d × profile of ArkTS that is not understood; skipped"},
	badNode:       {Text: "%d × call of ArkTS that is not understood, or has several callers; skipped"},
	badPair:       {Text: "%d × sample of ArkTS without a time, or time without a sample; skipped"},
	unknownCall:   {Text: "%d × sample of ArkTS in a call that its profile does not have; without its stack"},
	largeSection:  {Text: "%d × section or message larger than 64 MiB; skipped", Code: trace.WarnOverLimit},
	deepStack:     {Text: "%d × stack of more than 1024 calls; the innermost are used", Code: trace.WarnOverLimit},
	stacksOver:    {Text: "%d × sample without its stack: more than 4 Mi calls, 1 Mi addresses or 64 Ki files", Code: trace.WarnOverLimit},
	mappingsOver:  {Text: "%d × mapping beyond 16 Ki of a process or 256 Ki in all; skipped", Code: trace.WarnOverLimit},
	threadsOver:   {Text: "%d × thread or process beyond the limit (limit: threads); skipped", Code: trace.WarnOverLimit},
	symbolsOver:   {Text: "%d × symbol or call of a table beyond 4 Mi; skipped", Code: trace.WarnOverLimit},
	nodesOver:     {Text: "%d × call of ArkTS beyond 1 Mi of a profile; skipped", Code: trace.WarnOverLimit},
	eventsOver:    {Text: "%d × event beyond 1024, or id beyond 1 Mi; skipped", Code: trace.WarnOverLimit},
	compressed:    {Text: "%d × block of compressed records; skipped: record without -z", Code: trace.WarnNotUnderstood},
	badCall:       {Text: "%d × call of a stack that is not understood"},
	lostSamples:   {Noun: "sample", Text: "lost while recording", Code: trace.WarnLost},
	unknownThread: {Text: "%d × thread without a name", Code: trace.WarnMissing},
}

type log = diag.DamageLog[problem]

func newLog() *log { return diag.NewDamageLog[problem](kinds[:]) }
