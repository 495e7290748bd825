package sql_test

import (
	"bytes"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer/stats"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// The tables of refresh rates have what the report has.
func TestRefreshRates(t *testing.T) {
	enginetest.ForTest(t)
	script := must.Get(txtar.ParseFile("../../cmd/ohframe/testdata/script/refresh.txtar"))(t)
	output, timeline := convert(t, bytes.NewReader(script.Files[0].Data), pftrace.Options{NoEvents: true})
	session := load(t, output)
	enginetest.CheckGate(t, session)
	query(t, session, "INCLUDE PERFETTO MODULE ohos.refresh; SELECT 1")
	report, votes := stats.Compute(timeline, stats.Options{}), 0
	for _, r := range report.RefreshRates {
		votes += len(r.Overruled)
	}
	if votes == 0 {
		t.Fatalf("no votes in %+v", report.RefreshRates)
	}
	checkTable(t, session, "ohos_refresh_rate", "", each(report.RefreshRates))
	compare(t, "votes", query(t, session, "SELECT count() FROM ohos_refresh_vote JOIN ohos_refresh_rate AS r ON r.id = rate_id WHERE min_hz > r.rate_hz + 1 OR max_hz < r.rate_hz - 1"), count(votes))
}
