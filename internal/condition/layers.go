package condition

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// layerSubject begins conditions on layers: "layer.fps<29", "layer(SurfaceView).fps<29".
const layerSubject = "layer"

// onLayers selects layers, and a measure of them.
type onLayers struct {
	name    string // a pattern of text.MatchLayer; empty for all layers with a cadence
	matches func(*analyzer.Layer) bool
	measure *stats.Measure
}

var layerHint = fmt.Sprintf("write layer.fps<29, for all layers with a cadence, or layer(NAME).fps<29; layers have %s", strings.Join(stats.LayerMeasures.Names(), ", "))

// layers parses layers and a measure of them; nil if the text begins otherwise.
func (p *parser) layers() (*onLayers, error) {
	rest := string(p.text[p.at:])
	if end := strings.IndexAny(rest, "<>"); end >= 0 {
		rest = rest[:end]
	}
	after, ok := strings.CutPrefix(rest, layerSubject)
	if ok && strings.TrimSpace(after) == "" {
		return nil, fmt.Errorf("%s needs a measure: write layer.fps", layerSubject)
	}
	if !ok || after[0] != '.' && after[0] != '(' {
		return nil, nil
	}
	selected, end := &onLayers{}, 0
	if after[0] == '(' {
		if end = strings.LastIndex(after, ").") + 1; end == 0 { // names have parentheses, too
			return nil, errors.New("expected ) and a measure after the name of the layer")
		}
		if selected.name = strings.TrimSpace(after[1 : end-1]); selected.name == "" {
			return nil, errors.New("the name of the layer is empty")
		}
		var err error
		if selected.matches, err = text.MatchLayer(selected.name); err != nil {
			return nil, err
		}
	}
	p.at += len([]rune(layerSubject + after[:end+1]))
	measure := p.name()
	if selected.measure = stats.LayerMeasures.Named(measure); selected.measure != nil {
		return selected, nil
	}
	similar := text.Similar(measure, stats.LayerMeasures.Names())
	if m := stats.LayerMeasures.At(measure); m != nil {
		similar = m.Name
	}
	if similar != "" {
		similar = "layer." + similar
	}
	return nil, fmt.Errorf("unknown measure %q of layers%s", measure, didYouMean(cmp.Or(similar, elsewhere(measure))))
}

func (s *onLayers) items() Items { return Layers }

func (s *onLayers) measured() *stats.Measure { return s.measure }

func (s *onLayers) has(c *Condition, item any) bool {
	l, ok := item.(*stats.Layer)
	if !ok || !c.Selects(ProducerOf(l)) {
		return false
	}
	if s.name == "" {
		return l.Cadence != nil || l.Pool != nil && l.Judged > 0
	}
	return s.matches(l.Source)
}

func (s *onLayers) part(item any) part {
	l := item.(*stats.Layer)
	name := fmt.Sprintf("layer %d (%s)", l.ID, text.ShortLayerName(l.Name, text.LayerWidth))
	if l.Pool != nil {
		name = l.Pool.Name
	}
	return part{ProducerOf(l), name, s.measure.Value(l), func() string { return whyUnknownOf(l, s.measure) }, s.measure.Unit}
}

// ProducerOf returns the process of a layer; nil if it is unknown.
func ProducerOf(l *stats.Layer) *stats.Process {
	if l.Process == nil && l.PID == nil {
		return nil
	}
	p := &stats.Process{PID: trace.UnknownPID}
	if l.Process != nil {
		p.Name = *l.Process
	}
	if l.PID != nil {
		p.PID = *l.PID
	}
	return p
}

// whyUnknownOf returns why a measure of a layer is unknown; empty if nothing more is known.
func whyUnknownOf(l *stats.Layer, m *stats.Measure) string {
	median := strings.Replace(m.Name, "p95", "p50", 1)
	switch {
	case m.OfCadence && l.Cadence == nil && l.Pool == nil:
		return "the layer has no cadence"
	case l.Shown == 0:
		return "no buffer was shown"
	case median != m.Name && stats.LayerMeasures.Named(median).Of(l) != nil:
		return fmt.Sprintf("fewer than %d buffers", m.Aggregate.Least)
	case m.Animating || m.OfCadence:
		return "fewer than two present times"
	}
	return ""
}

// maxLayers is the number of layers that a reason lists.
const maxLayers = 4

func (s *onLayers) none(c *Condition, r *stats.Report, several bool) string {
	where, has := "the trace", "it has"
	if several {
		where, has = "the traces", "they have"
	}
	var names []string
	seen := map[string]bool{}
	for _, l := range r.Layers {
		if name := text.ShortLayerName(l.Name, text.LayerWidth); c.Selects(ProducerOf(l)) && !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	of := ""
	if c.Process != "" {
		of = " of " + text.Printable(c.Process)
	}
	switch {
	case len(r.Layers) == 0:
		return "no layers"
	case len(names) == 0:
		return fmt.Sprintf("no layer%s in %s", of, where)
	case s.name == "":
		return fmt.Sprintf("no layer%s in %s has a cadence; layer(NAME) selects one", of, where)
	}
	if more := len(names) - maxLayers; more > 0 {
		names = append(names[:maxLayers:maxLayers], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("no layer%s in %s has this name; %s %s", of, where, has, strings.Join(names, ", "))
}
