package text

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/must"
)

func TestLayerName(t *testing.T) {
	for name, want := range map[string]string{
		"ShellAssistantAnco_162014756339724_10aa7df SurfaceView[com.example.[...]Activity]#1313_137Surface": "ShellAssistantAnco_*_* SurfaceView[com.example.[...]Activity]#*_*Surface",
		"ShellAssistantAnco_200097Surface": "ShellAssistantAnco_*Surface",
		"RCDTopSurfaceNode8005819039744":   "RCDTopSurfaceNode*",
		"SurfaceView[a.b/c](BLAST)#0":      "SurfaceView[a.b/c](BLAST)#*",
		"face decade":                      "face decade", // words
		"cafe1 fade":                       "* fade",
		"Ünïcode12é 7":                     "Ünïcode*é *",
		"3":                                "*",
		"":                                 "",
		"\xff1\xff":                        "\xff*\xff",
		"XComponent":                       "XComponent",
	} {
		must.Equal(t, LayerName(name), want, "%q", name)
		must.Equal(t, LayerName(want), want, "%q again", want)
	}
}

// A layer is meant by a pattern, and by the name that comparisons print, brackets or not.
func TestMatchLayer(t *testing.T) {
	l := &analyzer.Layer{ID: 3, Name: "Shell_200 SurfaceView[com.example.[...]]#1313_137Surface"}
	for pattern, want := range map[string]bool{
		LayerName(l.Name): true, "*Surface": true, "3": true, "SurfaceView": true,
		"Shell_* SurfaceView[com.other.[...]]#*_*Surface": false, "4": false,
	} {
		if match, err := MatchLayer(pattern); err != nil || match(l) != want {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if _, err := MatchLayer("["); err == nil {
		t.Error("[ is a pattern")
	}
}
