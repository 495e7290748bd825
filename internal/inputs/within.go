package inputs

import (
	"context"
	"fmt"
	"io"
	"time"

	"ohframe/analyzer/trace"
)

// tooLong is the error of what takes longer than a limit.
type tooLong time.Duration

func (limit tooLong) Error() string { return fmt.Sprintf("took longer than %s", trace.Duration(limit)) }

// Is makes it context.DeadlineExceeded.
func (limit tooLong) Is(err error) bool { return err == context.DeadlineExceeded }

// Within returns the result of work. If work takes longer than limit, the error is a
// context.DeadlineExceeded that says so, and if ctx ends before, its cause; then work, which may be
// blocked by a pipe or a lost server, goes on in the background. A limit of zero is none.
func Within[T any](ctx context.Context, limit time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	var none T
	select {
	case o := <-done:
		return o.value, o.err
	case <-over:
		return none, tooLong(limit)
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// patient reads from r. A read that takes longer than limit fails.
type patient struct {
	r     io.Reader
	limit time.Duration
}

func (p patient) Read(b []byte) (int, error) {
	own := make([]byte, len(b)) // a read that is given up may write later
	n, err := Within(context.Background(), p.limit, func() (int, error) { return p.r.Read(own) })
	return copy(b, own[:n]), err
}
