package engine

// gateSQL lists the problems that the trace processor found in a trace: every
// statistic with the severity error or data loss, and three statistics about broken
// frames and slices, whose severity depends on Perfetto's version.
const gateSQL = `
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

// Gate returns the rows of gateSQL. A trace that this project writes has none.
func (s *Session) Gate() (Table, error) { return s.Query(gateSQL) }
