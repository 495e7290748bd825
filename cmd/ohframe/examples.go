package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// exampleLines are the examples in the help of commands, by the command's full name.
var exampleLines = map[string][]string{
	"ohframe": {
		"ohframe trace.ftrace",
		"ohframe why trace.ftrace",
		"ohframe open trace.ftrace",
	},
	"convert": {
		"ohframe convert trace.ftrace",
		"ohframe convert trace.ftrace -o - | gzip >trace.pftrace.gz",
		"ohframe convert traces -o converted",
	},
	"frames": {
		"ohframe frames trace.ftrace --late --sort overrun_ns --top 20",
		"ohframe frames trace.ftrace --process gallery --no-causes",
		"ohframe frames trace.ftrace --layer SurfaceView --late",
		"ohframe frames traces -o frames.parquet",
	},
	"report": {
		"ohframe report trace.ftrace --process gallery --all",
		"ohframe report builds --over build -o trend.html",
		"ohframe report trace.ftrace --fail-on 'jank_rate>5%,hitch_ratio>10,fps<55'",
	},
	"why": {
		"ohframe why trace.ftrace --process gallery",
		"ohframe why trace.ftrace --frame 10046",
		"ohframe why trace.ftrace --format evidence",
	},
	"diff": {
		"ohframe diff before.ftrace after.ftrace",
		"ohframe diff base/*.ftrace -- new/*.ftrace --fail-on 'jank_rate>+2pp,fps<-5%'",
		"ohframe diff uploads --base version=5.0.1 --new version=5.1.0",
	},
	"text": {
		"ohframe text record.sys -o record.ftrace",
		"ohframe text trace.ftrace --from +1.5s --to +2s -o part.ftrace",
		"ohframe text traces -o texts",
	},
	"open": {
		"ohframe open trace.ftrace",
		"ohframe open trace.ftrace --interaction 2",
		"ohframe open trace.ftrace --process gallery --frame 10046",
	},
	"web": {
		"ohframe web --port 8080",
		"ohframe web --print-url --port 0",
	},
	"record": {
		"ohframe record -t 10 --app com.example.gallery -o trace",
		"ohframe record -t 5 --app com.example.gallery --launch --runs 6 -o base",
		"ohframe record -t 5 --app com.example.gallery --launch --debug-ui -o why",
		"ohframe record --compare old.hap new.hap --runs 6 --drive ./swipe.sh -o out",
	},
	"sql": {
		"ohframe sql -o modules",
		"ohframe sql ohos.jank >jank.sql",
	},
	"ui": {
		"ohframe ui -o ui OWNER/REPO/main",
	},
	"fleet run": {
		"ohframe fleet run traces -o dataset",
		"ohframe fleet run @names.txt --shards 7/100 -o dataset",
	},
	"fleet sql": {
		"ohframe fleet sql dataset >views.sql",
	},
}

// addExamples puts the examples before the descriptions of the program and its commands.
func addExamples(app *cli.App) {
	app.Description = withExamples(app.Description, app.Name)
	for _, c := range app.Commands {
		c.Description = withExamples(c.Description, c.Name)
		for _, sub := range c.Subcommands {
			sub.Description = withExamples(sub.Description, c.Name+" "+sub.Name)
		}
	}
}

func withExamples(description, name string) string {
	lines := exampleLines[name]
	if len(lines) == 0 {
		return description
	}
	return strings.TrimRight("Examples:\n  "+strings.Join(lines, "\n  ")+"\n\n"+description, "\n")
}
