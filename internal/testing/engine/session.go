package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Session is a trace processor with a trace loaded. It serves one caller at a time.
// Tables and views that a query creates exist until the session ends.
type Session struct {
	context context.Context // which ends the process
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  bytes.Buffer
	err     error // why the process is no more
}

func open(ctx context.Context, program string, arguments ...string) (*Session, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	s := &Session{context: ctx, command: command}
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = &s.stderr
	if err := command.Start(); err != nil {
		return nil, err
	}
	s.stdin, s.stdout = stdin, bufio.NewReader(stdout)

	// The process answers only after it has loaded the trace. It ends if it cannot
	// load the trace.
	if _, err := s.Query("SELECT 1"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Query runs a script of SQL statements and returns the result of its last
// one. The error has the engine's message. It is also an error if an earlier
// statement returns rows, because they would be lost.
func (s *Session) Query(sql string) (Table, error) {
	var result queryResult
	err := s.call(queryRequest(sql), func(reply []byte) (bool, error) {
		err := result.add(reply)
		return result.complete, err
	})
	switch {
	case err != nil:
		return Table{}, err
	case result.message != "":
		return Table{}, errors.New(result.message)
	case result.outputs > 1:
		return Table{}, fmt.Errorf("%d statements return rows, want only the last to", result.outputs)
	}
	return result.table, nil
}

// Reload loads the trace at the given path, with packages as for Engine.Open, in place of what
// the session had: a tenth of the time of a new process. After an error the session is to be closed.
func (s *Session) Reload(trace string, packages ...string) error {
	content, err := os.ReadFile(trace)
	if err != nil {
		return err
	}
	return s.load(request(methodReset, 0, nil), content, packages)
}

// Analyze loads a trace as Reload does, and fills the tables experimental_proto_path and _content with its fields, also with those
// that a FileDescriptorSet describes, unless that is nil.
func (s *Session) Analyze(trace, descriptors []byte) error {
	args := protowire.AppendVarint(protowire.AppendTag(nil, resetAnalyze, protowire.VarintType), 1)
	if descriptors != nil {
		args = appendBytes(args, resetDescriptors, descriptors)
	}
	return s.load(request(methodReset, rpcResetArgs, args), trace, nil)
}

// load loads a trace after a request that resets the engine.
func (s *Session) load(reset, content []byte, packages []string) error {
	requests := [][]byte{reset, request(methodAppend, rpcAppendData, content), request(methodFinalize, 0, nil)}
	for _, directory := range packages {
		r, err := packageRequest(directory)
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	for _, r := range requests {
		var failed error
		if err := s.call(r, func(reply []byte) (bool, error) { failed = answer(reply); return true, nil }); err != nil || failed != nil {
			return errors.Join(err, failed)
		}
	}
	return nil
}

// Summarize computes all metrics of a trace summary specification in text format, and
// the metadata of the query with the given id, unless that is empty.
func (s *Session) Summarize(spec, metadata string) (Summary, error) {
	var result summaryResult
	err := s.call(summaryRequest(spec, metadata), func(reply []byte) (bool, error) {
		return true, result.set(reply)
	})
	switch {
	case err != nil:
		return Summary{}, err
	case result.message != "":
		return Summary{}, errors.New(result.message)
	}
	return result.summary, nil
}

// ProcessorTime returns the processor time that the process has needed so far. It is known
// on Linux only, to 10 ms.
func (s *Session) ProcessorTime() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	// proc(5): the program's name in brackets, then utime and stime are fields 14 and 15.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("unknown format: %q", stat)
	}
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// Close ends the session. It returns the error of a process that failed, unless
// another method already returned it.
func (s *Session) Close() error {
	if s.err != nil {
		return nil
	}
	s.err = errors.New("session is closed")
	s.stdin.Close()
	if err := s.command.Wait(); err != nil {
		return s.explain(err)
	}
	return nil
}

// call sends a request and passes its replies to receive until that returns true.
func (s *Session) call(request []byte, receive func(reply []byte) (done bool, err error)) error {
	if s.err != nil {
		return s.err
	}
	if _, err := s.stdin.Write(request); err != nil {
		return s.end(err)
	}
	for {
		reply, err := readReply(s.stdout)
		if err != nil {
			return s.end(err)
		}
		if done, err := receive(reply); err != nil {
			return s.end(err)
		} else if done {
			return nil
		}
	}
}

// end stops a process that no longer answers. Its exit status explains more than the
// error of the pipe, unless it was killed because of malformed answers.
func (s *Session) end(err error) error {
	nonsense := errors.Is(err, errProtocol)
	if nonsense {
		s.command.Process.Kill()
	}
	s.stdin.Close()
	io.Copy(io.Discard, s.stdout)
	failure := s.command.Wait()
	switch {
	case nonsense:
	case s.context.Err() != nil:
		err = s.context.Err()
	case failure != nil:
		err = failure
	default:
		err = errors.New("ended without an answer")
	}
	s.err = s.explain(err)
	return s.err
}

// explain adds the error output of the process.
func (s *Session) explain(err error) error {
	if message := bytes.TrimSpace(s.stderr.Bytes()); len(message) > 0 {
		return fmt.Errorf("trace processor: %w: %s", err, message)
	}
	return fmt.Errorf("trace processor: %w", err)
}
