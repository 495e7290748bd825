package timeline

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/annotation"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/causetext"
	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// cost is an entry of the ranking of the causes of a process's late frames.
type cost struct {
	Cause   string         `json:"cause"`
	Wait    string         `json:"wait"`
	Stage   string         `json:"stage"`
	Slice   string         `json:"slice"`
	Culprit string         `json:"culprit"`
	Frames  int            `json:"frames"`
	Lost    trace.Duration `json:"lost_ns"`
	Direct  trace.Duration `json:"direct_ns"`
	KnockOn trace.Duration `json:"knock_on_ns"`
	Share   float64        `json:"share"`
	Advice  string         `json:"advice"`
}

// writeReports writes the report on each process: a slice from its first frame to its last
// with all measures, and a slice for each hitch.
func writeReports(t *analyzer.Timeline, reports []*stats.Process, pipelines map[*analyzer.Process]*pipeline) {
	framesOf := stats.NewFrames(t)
	for _, r := range reports {
		if frames := framesOf.Of(r); len(frames) > 0 {
			pipelines[frames[0].Process].writeReport(r, frames)
		}
	}
}

func (p *pipeline) writeReport(r *stats.Process, frames []*analyzer.Frame) {
	s := slice{Interval: analyzer.Interval{Start: r.Observed.From, End: r.Observed.To}, colour: reportColour}
	s.name = append(s.name, diag.Count(r.Frames.Complete, "frame")...)
	if r.JankRate != nil { // without the word late, for which people search
		s.name = append(append(s.name, ", jank "...), text.Share(r.JankRate)...)
	}
	if r.FPS != nil && r.FPS.Rate != nil {
		s.name = fmt.Appendf(s.name, ", %.1f fps", *r.FPS.Rate)
	}
	s.annotations.tree(p.w, annotation.Report, summary(r))
	if p.causes != nil {
		s.annotations.tree(p.w, annotation.Ranking, p.costs(frames))
	}
	p.w.slice(p.lanes(reportTrack, "What reports and rankings of causes print about the process.").track(s.Interval), &s)
	if r.Hitches == nil || r.Hitches.Hitches == 0 {
		return
	}
	lanes := p.lanes(hitchesTrack, "From one present to the next, if the second was too late.")
	for _, h := range r.Hitches.List {
		s = slice{Interval: analyzer.Interval{Start: h.From, End: h.To}, colour: hitchColour}
		s.name = fmt.Appendf(s.name, "hitch %.1f ms", h.Hitch.Milliseconds())
		s.annotations.tree(p.w, annotation.Hitch, h)
		p.w.slice(lanes.track(s.Interval), &s)
	}
}

// summary returns the report on a process without its longest lists, which queries compute
// from the frames.
func summary(r *stats.Process) stats.Process {
	s := *r
	s.Worst = nil
	if r.Durations != nil {
		d := *r.Durations
		d.Histogram, s.Durations = nil, &d
	}
	return s
}

func (p *pipeline) costs(frames []*analyzer.Frame) []cost {
	ranking := p.causes.Rank(frames)
	list := make([]cost, len(ranking.Costs))
	for i, c := range ranking.Costs {
		list[i] = cost{
			causetext.CostTitle(c), c.Wait.String(), c.Stage().String(), c.Slice, causetext.Kind(c.Kind), len(c.Late),
			c.Lost, c.Direct, c.KnockOn, float64(c.Lost) / float64(ranking.Lost), causetext.CostAdvice(c),
		}
	}
	return list
}

// tree adds a value under the names that it has in JSON. What is nil, false, an empty text or
// an empty list is left out, and so is an unknown process id.
func (a *annotations) tree(w *trackWriter, name annotation.Key, value any) {
	*a = appendTree(*a, w, trackEventAnnotation, uint64(name), reflect.ValueOf(value))
}

// appendTree appends a value as an annotation in a field.
func appendTree(to []byte, w *trackWriter, field protowire.Number, name uint64, v reflect.Value) []byte {
	if text, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() != reflect.Pointer {
		b, err := text.MarshalText()
		if err != nil {
			panic(err) // names of constants
		}
		v = reflect.ValueOf(string(b))
	}
	if pid, ok := v.Interface().(trace.PID); ok && pid == trace.UnknownPID {
		return to
	}
	var a []byte
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return to
		}
		return appendTree(to, w, field, name, v.Elem())
	case reflect.Int, reflect.Int32, reflect.Int64:
		a = packet.AppendVarint(a, annotationInt, uint64(v.Int()))
	case reflect.Bool:
		if !v.Bool() {
			return to
		}
		a = packet.AppendVarint(a, annotationBool, 1)
	case reflect.Float64:
		a = packet.AppendFixed64(a, annotationDouble, math.Float64bits(v.Float()))
	case reflect.String:
		if v.Len() == 0 {
			return to
		}
		a = packet.AppendVarint(a, annotationStringID, w.text(v.String()))
	case reflect.Slice:
		for i := range v.Len() {
			a = appendTree(a, w, annotationArrayElement, 0, v.Index(i))
		}
		if v.Len() == 0 {
			return to
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			if f.IsExported() && !f.Anonymous {
				if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "-" {
					a = appendTree(a, w, annotationDictEntry, w.annotationName(key), v.FieldByIndex(f.Index))
				}
			}
		}
	default:
		panic(v.Type())
	}
	return appendAnnotation(to, field, name, a)
}
