package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/compatibility"
	"ohframe/internal/testing/must"
)

// Items of components are counted for their process: three built and one reused, a quarter of all.
func TestItems(t *testing.T) {
	text := func(name string, built, reused int) string {
		lines := []string{"B|200|H:ReceiveVsync name:ui dataCount: 24bytes now:1000000000 expectedEnd: 1016600000 vsyncId:5, fd:9", "B|200|H:OnVsyncEvent now:1000000000", "E|200", "E|200"}
		for range built {
			lines = append(lines, "B|200|H:CustomNode:BuildItem [Card][self:38][parent:37]", "E|200")
		}
		for range reused {
			lines = append(lines, "B|200|H:CustomNode:BuildRecycle [Card][self:38][parent:37]", "E|200")
		}
		all := ""
		for i, line := range lines {
			all += fmt.Sprintf("%s-200 (200) [001] .... 1.000%03d: print: %s\n", name, 100+i, line)
		}
		return all
	}
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, find(t, folder(t, map[string]string{
		"a.ftrace": text("app", 2, 1), "b.ftrace": text("app", 1, 0), "c.ftrace": text("other", 0, 0),
	})), Options{})
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{opened(t, dir)}, Query{By: []string{"process"}}))(t)
	for _, g := range groups {
		share := g.Value("reused_share")
		switch *g.Key[0] {
		case "app":
			if share == nil || *share != 0.25 || g.Sum("built_items") != 3 || g.Sum("reused_items") != 1 {
				t.Errorf("%d built, %d reused, share %v", g.Sum("built_items"), g.Sum("reused_items"), share)
			}
		default:
			if share != nil {
				t.Errorf("%s: share %v of no items", *g.Key[0], *share)
			}
		}
	}
	must.Equal(t, len(groups), 2, "groups")
}

// TestColumns lists the columns of datasets, which databases and programs rely on.
func TestColumns(t *testing.T) {
	var list strings.Builder
	dims := []string{"dimension"}
	for _, folder := range append(slices.Clone(tableFolders[:]), failuresFolder) {
		fmt.Fprintln(&list, recordOf(folder, dims).schema)
	}
	compatibility.Check(t, "../../testdata/api/fleet.txt", list.String())
}
