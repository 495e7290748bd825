package main

import (
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

func TestStyleFrom(t *testing.T) {
	for _, c := range []struct {
		env      map[string]string
		terminal bool
		width    int
		want     text.Style
	}{
		{nil, false, 0, text.Style{}},
		{nil, true, 80, text.Style{Color: true, Width: 80}},
		{map[string]string{"TERM": "dumb"}, true, 80, text.Style{Width: 80}},
		{map[string]string{"NO_COLOR": "1"}, true, 80, text.Style{Width: 80}},
		{map[string]string{"CLICOLOR_FORCE": "1"}, false, 0, text.Style{Color: true}},
		{map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, true, 0, text.Style{Color: true}},
		{map[string]string{"CLICOLOR_FORCE": "0"}, false, 0, text.Style{}},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, true, 0, text.Style{}},
		{map[string]string{"COLUMNS": "120"}, false, 0, text.Style{Width: 120}},
		{map[string]string{"COLUMNS": "120"}, true, 80, text.Style{Color: true, Width: 120}},
		{map[string]string{"COLUMNS": "x"}, true, 80, text.Style{Color: true, Width: 80}},
		{map[string]string{"COLUMNS": "-1"}, true, 0, text.Style{Color: true}},
	} {
		must.Equal(t, styleFrom(func(name string) string { return c.env[name] }, c.terminal, c.width), c.want, "%v, terminal %v", c.env, c.terminal)
	}
}
