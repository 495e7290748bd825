package hdc

import (
	"cmp"
	"context"
	"errors"
	"ohframe/internal/failure"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// programs are the names of hdc. It was hdc_std up to system version 3.2.
var programs = []string{"hdc", "hdc_std"}

// inPath are the names that are searched in PATH. That of WSL has the folders of Windows.
var inPath = func() []string {
	if runtime.GOOS == "linux" {
		return append(slices.Clone(programs), "hdc.exe")
	}
	return programs
}()

// toolchains are the folders of hdc below the folder of an SDK, which a variable names.
var toolchains = []string{"default/openharmony/toolchains", "openharmony/toolchains", "toolchains", "*/toolchains"}

var sdkVariables = []string{"DEVECO_SDK_HOME", "HOS_SDK_HOME", "OHOS_SDK_HOME", "OHOS_BASE_SDK_HOME"}

// usualPlaces are the folders in which installers put hdc, by operating system. A
// leading ~ is the home folder, %LOCALAPPDATA% a variable.
var usualPlaces = map[string][]string{
	"darwin": {
		"/Applications/DevEco-Studio.app/Contents/sdk/default/openharmony/toolchains",
		"~/Library/OpenHarmony/Sdk/*/toolchains",
		"~/Library/Huawei/Sdk/openharmony/*/toolchains",
	},
	"windows": {
		`C:\Program Files\Huawei\DevEco Studio\sdk\default\openharmony\toolchains`,
		`%LOCALAPPDATA%\OpenHarmony\Sdk\*\toolchains`,
		`%LOCALAPPDATA%\Huawei\Sdk\openharmony\*\toolchains`,
	},
	"linux": {"~/command-line-tools/sdk/default/openharmony/toolchains"},
}

const hintMissing = "hdc is part of DevEco Studio and of its Command Line Tools; --hdc PATH or the variable HDC says where it is"

// Find returns the hdc that explicit names, a file or a folder; if that is empty, the
// one that the variable HDC names, the first in PATH, or the newest in the folders of
// SDKs. limit is the time limit of calls; zero means DefaultLimit.
func Find(ctx context.Context, explicit string, limit time.Duration) (*Client, error) {
	limit = cmp.Or(limit, DefaultLimit)
	if named := cmp.Or(explicit, os.Getenv("HDC")); named != "" {
		return findNamed(ctx, named, limit)
	}
	var other error
	for _, name := range inPath {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		c, err := probe(ctx, path, limit)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		other = cmp.Or(other, err)
	}
	folders := sdkFolders()
	var found []*Client
	for _, folder := range folders {
		for _, path := range programsIn(folder) {
			c, err := probe(ctx, path, limit)
			if ctx.Err() != nil {
				return nil, err
			}
			if err == nil {
				found = append(found, c)
			} else {
				other = cmp.Or(other, err)
			}
		}
	}
	switch {
	case len(found) > 0:
		return slices.MaxFunc(found, func(a, b *Client) int { return compareVersions(a.Version, b.Version) }), nil
	case other != nil:
		return nil, other
	}
	return nil, failure.New(ErrMissing, hintMissing, "hdc not found in PATH and in the usual folders of SDKs")
}

func findNamed(ctx context.Context, named string, limit time.Duration) (*Client, error) {
	paths := []string{named}
	if info, err := os.Stat(named); err == nil && info.IsDir() {
		paths = programsIn(named)
	} else if err != nil {
		if path, lookErr := exec.LookPath(named); lookErr == nil {
			paths = []string{path}
		} else {
			paths = nil
		}
	}
	if len(paths) == 0 {
		return nil, failure.New(ErrMissing, hintMissing, "%s: no hdc there", named)
	}
	return probe(ctx, paths[0], limit)
}

// programsIn returns the programs called hdc in folders that match the pattern.
func programsIn(pattern string) (paths []string) {
	for _, name := range programs {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		matches, _ := filepath.Glob(filepath.Join(pattern, name))
		paths = append(paths, matches...)
	}
	return paths
}

// sdkFolders returns the patterns of folders in which an SDK has hdc.
func sdkFolders() (list []string) {
	for _, variable := range sdkVariables {
		if folder := os.Getenv(variable); folder != "" {
			for _, t := range toolchains {
				list = append(list, filepath.Join(folder, filepath.FromSlash(t)))
			}
		}
	}
	home, _ := os.UserHomeDir()
	for _, place := range usualPlaces[runtime.GOOS] {
		if rest, ok := strings.CutPrefix(place, "~"); ok {
			place = home + rest
		}
		list = append(list, strings.ReplaceAll(place, "%LOCALAPPDATA%", os.Getenv("LOCALAPPDATA")))
	}
	return list
}

// version is the line that hdc prints and other programs of this name do not.
var version = regexp.MustCompile(`(?m)^Ver: (\d+\.\d+\.\d+\w*)\s*$`)

// probe returns a client of the program if it is hdc.
func probe(ctx context.Context, path string, limit time.Duration) (*Client, error) {
	c := &Client{Path: path, Limit: limit}
	answer, err := c.run(ctx, limit, "-v")
	if err != nil && !errors.Is(err, ErrTimeout) {
		return nil, err
	}
	found := version.FindStringSubmatch(answer)
	if found == nil {
		return nil, failure.New(ErrMissing, hintMissing, "%s: not the device connector, but another program called hdc", path)
	}
	c.Version = found[1]
	return c, nil
}

// compareVersions compares versions such as "3.1.0e".
func compareVersions(a, b string) int {
	x, y := versionParts.FindAllString(a, -1), versionParts.FindAllString(b, -1)
	return slices.CompareFunc(x, y, func(a, b string) int {
		m, errM := strconv.Atoi(a)
		n, errN := strconv.Atoi(b)
		if errM == nil && errN == nil {
			return cmp.Compare(m, n)
		}
		return cmp.Compare(a, b)
	})
}

var versionParts = regexp.MustCompile(`\d+|[a-z]+`)
