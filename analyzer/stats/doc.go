// Package stats measures frames: a Timeline in, a Report out. It knows neither
// how a report is printed nor how a trace is read.
//
// There is one Process in a report for each application and each render service
// that has frames. Its measures count complete frames only; of the truncated
// ones, of which the trace has not seen both ends, it gives the number.
//
//	Compute(timeline) ─> Report ─┬─> Process ──┐
//	                             └─> Process ─┐│
//	Merge(report, report) ─> Report           ││
//	                      Compare(base, new) <┴┘ ─> Comparison
//
// What is not known is nil, null in JSON, and never zero: a trace without
// presents has unknown hitches, not zero. No value is NaN or infinite. Every time is
// a trace time in nanoseconds, the number that a timeline shows too.
//
// # Merging
//
// A report keeps a small record of each frame beside its measures, so that the
// reports of the parts of a trace merge into exactly the report of the whole:
// percentiles, frame rates, streaks and gaps between presents that cross the
// cut are those of the whole. What the parts cannot know, merging cannot find:
// if the cut goes through the text of a trace, a frame that it cuts is
// truncated in both parts, a transaction that it separates from the render
// frame that took it makes no link, and each part finds a clock offset of its
// own unless it is given one. Cut where no frame is under way, or cut the
// timeline. The records are not part of the JSON: a report that was read from
// JSON can be printed, not merged, and compared by its measures only.
package stats
