package report

import (
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/internal/diag"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// RecordCommands are diag.RecordCommand and that of this program.
const RecordCommands = "ohframe record -t 10, or " + diag.RecordCommand

// NoFrames returns why an input has no complete frames. That of a text trace says what to
// do about it.
func NoFrames(t *analyzer.Timeline, q *quality.Quality) *diag.Error {
	f := &diag.Error{What: "no frames"}
	if q.Truncated > 0 {
		f.What = "no complete frames, " + text.Count(q.Truncated, "truncated frame")
	}
	if len(t.Summaries) > 0 {
		f.What, f.Hint = "only summaries, no rows of frames", "dumpsys gfxinfo PACKAGE framestats prints them; ohframe report and ohframe diff read summaries"
	}
	if q.Lines == nil {
		return f
	}
	switch missing := t.Diagnostics.MissingMarkers; {
	case q.Layers > 0:
		f.What += ", only " + text.Count(q.Layers, "layer")
	case len(missing) > 0 && q.Truncated == 0:
		f.What += ": no marker " + strings.Join(missing, ", ")
	}
	switch {
	case q.Cut:
		f.What += ": lines were cut or wrapped"
		f.Hint = *q.Advice
	case q.Truncated > 0:
		f.Hint = *q.Advice + ": record for longer, and do not sort the file"
	case t.Diagnostics.Recorded == analyzer.FromSystem && slices.Contains(t.Diagnostics.MissingTags, "graphic"):
		f.Hint = "frames need the tags graphic and ace: " + RecordCommands
	case q.Advice != nil:
		f.Hint = *q.Advice
	}
	return f
}
