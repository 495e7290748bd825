package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// identityColumns are the columns before the measures. A measure's column is
// named after its path.
var identityColumns = []string{"input", "kind", "pid", "name", "fps.event", "refresh.rates_hz"}

// causeColumns are the columns after the measures: the time that late frames lost, and
// the cause that cost the most of it.
var causeColumns = []string{"causes.lost_ns", "causes.top.title", "causes.top.lost_ns", "causes.top.share"}

// qualityColumn is the last column: the verdict on the data of the input.
const qualityColumn = "quality.verdict"

// writeCSV writes a row for each process of each input.
func writeCSV(w io.Writer, inputs []Input) error {
	cw := csv.NewWriter(w)
	header := identityColumns[:len(identityColumns):len(identityColumns)]
	for i := range stats.Measures {
		header = append(header, stats.Measures[i].Path)
	}
	header = append(append(header, causeColumns...), qualityColumn)
	if err := cw.Write(header); err != nil {
		return err
	}
	for _, in := range inputs {
		known := in.causes()
		for _, p := range in.Stats.Processes {
			row := append(csvRow(in.Name, p), causeCells(known(p))...)
			if err := cw.Write(append(row, quality.Cell(in.Quality))); err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

func csvRow(input string, p *stats.Process) []string {
	row := []string{text.Cell(input), string(p.Kind), pid(p.PID), text.Cell(p.Name), "", ""}
	if p.FPS != nil {
		row[4] = string(p.FPS.Event)
	}
	rates := make([]string, len(p.Refresh))
	for i, r := range p.Refresh {
		rates[i] = plain(math.Round(r.Rate*1000) / 1000) // periods are whole nanoseconds
	}
	row[5] = strings.Join(rates, " ")
	for i := range stats.Measures {
		if x := stats.Measures[i].Of(p); x == nil {
			row = append(row, "")
		} else {
			row = append(row, plain(*x))
		}
	}
	return row
}

// causeCells returns the cells of causeColumns.
func causeCells(c *causes.Process) []string {
	cells := make([]string, len(causeColumns))
	if c == nil {
		return cells
	}
	r := c.Ranking
	cells[0] = strconv.FormatInt(int64(r.Lost), 10)
	if len(r.Costs) > 0 {
		top := r.Costs[0]
		cells[1] = text.Cell(causetext.CostTitle(top))
		cells[2] = strconv.FormatInt(int64(top.Lost), 10)
		cells[3] = plain(float64(top.Lost) / float64(r.Lost))
	}
	return cells
}

// plain formats a number exactly, without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// pid returns the process id, or "" if it is unknown.
func pid(p trace.PID) string {
	if p == trace.UnknownPID {
		return ""
	}
	return p.String()
}
