package hdc

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
)

// programs are the names of hdc. It was hdc_std up to system version 3.2. The PATH of WSL
// has the folders of Windows.
var programs = map[string][]string{"windows": {"hdc.exe", "hdc_std.exe"}, "linux": {"hdc", "hdc_std", "hdc.exe"}, "darwin": {"hdc", "hdc_std"}}[runtime.GOOS]

// sdks are folders in which installers put SDKs, and those that variables name. toolchains
// are the folders of hdc below them.
var (
	sdks = []string{
		"$DEVECO_SDK_HOME", "$HOS_SDK_HOME", "$OHOS_SDK_HOME", "$OHOS_BASE_SDK_HOME",
		"/Applications/DevEco-Studio.app/Contents/sdk", "$HOME/Library/OpenHarmony/Sdk", "$HOME/Library/Huawei/Sdk/openharmony",
		"$ProgramFiles/Huawei/DevEco Studio/sdk", "$LOCALAPPDATA/OpenHarmony/Sdk", "$LOCALAPPDATA/Huawei/Sdk/openharmony",
		"$HOME/command-line-tools/sdk",
	}
	toolchains = []string{"default/openharmony/toolchains", "openharmony/toolchains", "toolchains", "*/toolchains"}
)

const hintMissing = "hdc is part of DevEco Studio and of its Command Line Tools; the variable HDC says where it is"

// Find returns the hdc that the variable HDC names, a file or a folder, the first in PATH,
// or the newest in the folders of SDKs. limit is the time limit of calls; zero means defaultLimit.
func Find(ctx context.Context, limit time.Duration) (*Client, error) {
	var rejected error // the reason why the first candidate is not hdc
	try := func(paths []string) (found []*Client) {
		for _, path := range paths {
			c, err := probe(ctx, path, cmp.Or(limit, defaultLimit))
			if err == nil {
				found = append(found, c)
			}
			rejected = cmp.Or(rejected, err)
		}
		return found
	}
	where := "hdc not found in PATH and in the usual folders of SDKs"
	var found []*Client
	if named := os.Getenv("HDC"); named != "" {
		where = named + ": no hdc there"
		found = try(append(inPath(named), programsIn(named)...))
	} else if found = try(inPath(programs...)); len(found) == 0 {
		for _, sdk := range sdks {
			set := true
			sdk = os.Expand(sdk, func(variable string) string {
				set = os.Getenv(variable) != ""
				return os.Getenv(variable)
			})
			for _, t := range toolchains {
				if set {
					found = append(found, try(programsIn(filepath.Join(sdk, t)))...)
				}
			}
		}
		slices.SortStableFunc(found, func(a, b *Client) int { return -compareVersions(a.Version, b.Version) })
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(found) > 0:
		return found[0], nil
	case rejected != nil:
		return nil, rejected
	}
	return nil, diag.New(nil, hintMissing, "%s", where)
}

// inPath returns the programs with these names in PATH. A name may be a path.
func inPath(names ...string) (paths []string) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// programsIn returns the programs called hdc in folders that match the pattern.
func programsIn(pattern string) (paths []string) {
	for _, name := range programs {
		matches, _ := filepath.Glob(filepath.Join(pattern, name))
		paths = append(paths, matches...)
	}
	return paths
}

// version is the line that hdc prints and other programs of this name do not.
var version = pattern.New(`(?m)^Ver: (\d+\.\d+\.\d+\w*)\s*$`)

// probe returns a client of the program if it is hdc.
func probe(ctx context.Context, path string, limit time.Duration) (*Client, error) {
	c := &Client{Path: path, Limit: limit}
	answer, err := c.run(ctx, limit, "-v")
	if err != nil && !errors.Is(err, errTimeout) {
		return nil, err
	}
	found := version().FindStringSubmatch(answer)
	if found == nil {
		return nil, diag.New(nil, hintMissing, "%s: not the device connector, but another program called hdc", path)
	}
	c.Version = found[1]
	return c, nil
}

var digits = pattern.New(`\d+`)

// compareVersions compares versions such as "3.1.0e".
func compareVersions(a, b string) int {
	pad := func(number string) string { return strings.Repeat("0", max(0, 6-len(number))) + number }
	return cmp.Compare(digits().ReplaceAllStringFunc(a, pad), digits().ReplaceAllStringFunc(b, pad))
}
