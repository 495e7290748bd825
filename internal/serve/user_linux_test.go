package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

// Two users have sockets with the same ports. On processors of the other byte order the
// addresses have another spelling, so the test spells them with socketName.
func TestOwner(t *testing.T) {
	server := netip.MustParseAddrPort("127.0.0.1:9001")
	line := func(local, remote string, mapped bool, user int) string {
		return fmt.Sprintf("   0: %s %s 01 00000000:00000000 00:00000000 00000000  %d        0 12345 1 0 20 4 30 10 -1\n",
			socketName(netip.MustParseAddrPort(local), mapped), socketName(netip.MustParseAddrPort(remote), mapped), user)
	}
	list := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		line("127.0.0.1:9001", "127.0.0.1:5000", false, 1) +
		line("127.0.0.1:5000", "127.0.0.1:9002", false, 2) +
		line("127.0.0.2:5000", "127.0.0.1:9001", false, 3) +
		line("127.0.0.1:5000", "127.0.0.1:9001", false, 4) +
		line("127.0.0.1:5001", "127.0.0.1:9001", true, 5)
	for _, test := range []struct {
		client string
		mapped bool
		user   int
		ok     bool
	}{
		{"127.0.0.1:5000", false, 4, true},
		{"127.0.0.2:5000", false, 3, true},
		{"127.0.0.1:5001", true, 5, true},
		{"127.0.0.1:5001", false, 0, false},
		{"127.0.0.1:5002", false, 0, false},
	} {
		user, ok := owner(strings.NewReader(list), socketName(netip.MustParseAddrPort(test.client), test.mapped), socketName(server, test.mapped))
		if user != test.user || ok != test.ok {
			t.Errorf("%v: user %d, %t", test, user, ok)
		}
	}
}

// The browser of the user who ran the program with sudo is accepted.
func TestSudoUser(t *testing.T) {
	for _, test := range []struct {
		user, effective int
		variable        string
		want            bool
	}{
		{1000, 0, "1000", true},
		{1001, 0, "1000", false},
		{1000, 0, "", false},
		{1000, 0, "x", false},
		{1000, 1001, "1000", false}, // sudo -u: not root
	} {
		must.Equal(t, isSudoUser(test.user, test.effective, test.variable), test.want, "%+v", test)
	}
}

// Another user of the computer who knows the addresses gets neither the page nor the trace.
func TestOtherUser(t *testing.T) {
	const variable = "OHFRAME_TEST_OTHER_USER"
	if address := os.Getenv(variable); address != "" {
		fetchAsNobody(t, address)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	listener := must.Get(Listen(0, false))(t)
	ended := make(chan error, 1)
	const origin = "https://ui.example.com"
	trace := Trace{Path: "s/a", Content: strings.NewReader("trace"), Size: 5}
	go func() {
		ended <- Run(t.Context(), listener, Site{Secret: "s", Page: &Page{text: []byte("page")}, Trace: trace, Origin: origin}, time.Minute)
	}()
	address := "http://" + listener.Addr().String()
	child := exec.Command(os.Args[0], "-test.run=^TestOtherUser$", "-test.v")
	child.Env = append(os.Environ(), variable+"="+address)
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "refused twice") {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	for _, path := range []string{"/s", "/s/a"} {
		if status, _ := fetch(t, address+path, origin); status != http.StatusOK {
			t.Errorf("as the same user: %s: status %d", path, status)
		}
	}
	must.NoError(t, <-ended)
}

func fetchAsNobody(t *testing.T, address string) {
	const nobody = 65534
	must.Do(t, errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)))
	for _, path := range []string{"/s", "/s/a"} {
		status, body := fetch(t, address+path, "https://ui.example.com")
		if status != http.StatusForbidden || strings.Contains(body, "trace") || strings.Contains(body, "page") {
			t.Errorf("%s: status %d, %q", path, status, body)
		}
	}
	if !t.Failed() {
		t.Log("refused twice")
	}
}

// fetch asks for the page as a browser does, and for the trace as a page.
func fetch(t *testing.T, address, origin string) (status int, body string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), "GET", address, nil))(t)
	if strings.HasSuffix(address, "/s/a") {
		r.Header.Set("Origin", origin)
	}
	answer := must.Get((&http.Transport{DisableKeepAlives: true}).RoundTrip(r))(t)
	defer answer.Body.Close()
	text := must.Get(io.ReadAll(answer.Body))(t)
	return answer.StatusCode, string(text)
}
