// Package ftrace writes the events of a text trace, markers and those of the kernel, as
// Perfetto's FtraceEventBundle packets.
//
//	events ──▶ Planner.Plan, in order ──▶ Encoder.Encode, many at once ──▶ packets
//	           what is exported,          one bundle for each processor
//	           where, as whose            and block
package ftrace
