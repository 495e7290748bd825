//go:build !js

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"

	"ohframe/internal/serve"
	"ohframe/internal/ui"
)

// server serves the trace to a UI.
type server struct {
	*openFlags
	own      *serve.OwnUI // nil for the UI at the address
	address  *url.URL
	listener net.Listener
}

func newServer(f *openFlags) (s *server, err error) {
	s = &server{openFlags: f}
	if build := f.UI; isFile(build) {
		s.own, err = serve.OpenUI(build)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &failure{file: inputName(build), what: "no such folder or zip archive", hint: "give a build of the UI, or an address that begins with http:// or https://, such as " + ui.Public}
		case err != nil:
			return nil, fileError(build, err)
		}
	} else if s.address, err = serve.ParseUI(build); err != nil {
		return nil, &failure{what: "--ui " + err.Error(), hint: "give an address, or a folder or zip archive with a build of the UI"}
	}
	if f.Timeout < 0 {
		err = &failure{what: fmt.Sprintf("--timeout %s: must not be negative", f.Timeout), hint: "0 serves until interrupted"}
	} else {
		s.listener, err = serve.Listen(int(f.Port), s.own != nil)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *server) Close() (err error) {
	if s.listener != nil {
		err = s.listener.Close()
	}
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
	}
	return err
}

func (s *server) Show(c *call, name string, file *os.File, sides []serve.Side, look serve.ViewOptions) error {
	v := serve.Viewer{Listener: s.listener, UI: s.address, Own: s.own, Look: look, Keep: s.Timeout == 0 || s.own != nil, Timeout: s.Timeout}
	if !s.Quiet {
		v.Messages = os.Stderr
	}
	if s.PrintURL {
		v.Print = func(address string) error {
			_, err := fmt.Fprintln(c.App.Writer, address)
			return fileError(outputName(standard), err)
		}
	}
	err := v.Show(c.Context, name, file, sides)
	if signalled := (interruption{}); v.Keep && errors.As(err, &signalled) {
		return nil // as after a fetch
	}
	return err
}

// isFile reports whether --ui names a folder or a file, not an address.
func isFile(name string) bool { return !strings.Contains(name, "://") }
