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

// The kinds of damage and loss.
var (
	kinds diag.Kinds

	truncated     = kinds.Add(trace.WarnDamaged, "", "the file is truncated; the part before is used")
	recovered     = kinds.Add(trace.WarnDamaged, "", "the recording was not finished: it has no symbols, and its size is missing")
	badRecord     = kinds.Add(trace.WarnDamaged, "×", "record that runs over the end of its section; the rest is skipped")
	badSample     = kinds.Add(trace.WarnDamaged, "×", "sample shorter than its fields; skipped")
	badTime       = kinds.Add(trace.WarnDamaged, "×", "sample with an impossible time; skipped")
	badSection    = kinds.Add(trace.WarnDamaged, "×", "section outside the file; skipped")
	badSymbols    = kinds.Add(trace.WarnDamaged, "×", "table of symbols that ends early; its beginning is used")
	badTable      = kinds.Add(trace.WarnDamaged, "×", "table of stacks that ends early; its beginning is used")
	badStack      = kinds.Add(trace.WarnDamaged, "×", "sample whose stack is damaged; its innermost calls are used")
	badMessage    = kinds.Add(trace.WarnDamaged, "×", "message that is not understood; skipped")
	cutProfile    = kinds.Add(trace.WarnDamaged, "×", "profile of ArkTS that ends early; skipped")
	badProfile    = kinds.Add(trace.WarnDamaged, "×", "profile of ArkTS that is not understood; skipped")
	badNode       = kinds.Add(trace.WarnDamaged, "×", "call of ArkTS that is not understood, or has several callers; skipped")
	badPair       = kinds.Add(trace.WarnDamaged, "×", "sample of ArkTS without a time, or time without a sample; skipped")
	unknownCall   = kinds.Add(trace.WarnDamaged, "×", "sample of ArkTS in a call that its profile does not have; without its stack")
	largeSection  = kinds.Add(trace.WarnOverLimit, "×", "section or message larger than 64 MiB; skipped")                                // maxSection
	deepStack     = kinds.Add(trace.WarnOverLimit, "×", "stack of more than 1024 calls; the innermost are used")                         // maxDepth
	stacksOver    = kinds.Add(trace.WarnOverLimit, "×", "sample without its stack: more than 4 Mi calls, 1 Mi addresses or 64 Ki files") // maxStacks, maxFrames or maxModules
	mappingsOver  = kinds.Add(trace.WarnOverLimit, "×", "mapping beyond 16 Ki of a process or 256 Ki in all; skipped")                   // maxMappings or maxProcessMappings
	threadsOver   = kinds.Add(trace.WarnOverLimit, "×", "thread or process beyond the limit (limit: threads); skipped")
	symbolsOver   = kinds.Add(trace.WarnOverLimit, "×", "symbol or call of a table beyond 4 Mi; skipped")  // maxSymbols
	nodesOver     = kinds.Add(trace.WarnOverLimit, "×", "call of ArkTS beyond 1 Mi of a profile; skipped") // maxNodes
	eventsOver    = kinds.Add(trace.WarnOverLimit, "×", "event beyond 1024, or id beyond 1 Mi; skipped")   // maxEvents or maxIDs
	compressed    = kinds.Add(trace.WarnNotUnderstood, "×", "block of compressed records; skipped: record without -z")
	badCall       = kinds.Add(trace.WarnDamaged, "×", "call of a stack that is not understood")
	lostSamples   = kinds.Add(trace.WarnLost, "sample", "lost while recording")
	unknownThread = kinds.Add(trace.WarnMissing, "×", "thread without a name")
)
