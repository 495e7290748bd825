// Package ftrace writes the events of a text trace as Perfetto's packets: slices of threads as
// TrackEvents, other markers and those of the kernel in FtraceEventBundles.
//
//	events ──▶ Planner.Plan, in order ──▶ Encoder.Encode, many at once ──▶ packets
//	           what is exported,          one bundle for each processor
//	           where, as whose            and block
package ftrace
