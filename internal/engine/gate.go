package engine

// GateSQL lists what the trace processor found wrong with a trace: every
// statistic that is an error or lost data, and three that tell of broken frames
// and slices, whatever severity a version of Perfetto gives them.
const GateSQL = `
SELECT name, idx, severity, source, value
FROM stats
WHERE value > 0 AND (
  severity IN ('error', 'data_loss') OR
  name IN (
    'frame_timeline_event_parser_errors',
    'frame_timeline_unpaired_end_event',
    'misplaced_end_event'
  )
)
ORDER BY name, idx`

// Gate returns the rows of GateSQL. A trace that this project writes has none.
func (s *Session) Gate() (Table, error) { return s.Query(GateSQL) }
