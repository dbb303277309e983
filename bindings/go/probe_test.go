package mcpdiscover

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	verdict, err := Probe(context.Background(), scripted(t, "modern.json"))
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Era != EraModern || verdict.Next != NextUseModern || verdict.Version != "2026-07-28" ||
		verdict.Server.Title != "A modern example" || !verdict.Capabilities.ToolsListChanged || len(verdict.Remarks) > 0 {
		t.Errorf("got %+v", verdict)
	}
	if since := time.Since(verdict.ReceivedAt); since < 0 || since > time.Minute || verdict.Replied <= 0 || verdict.Elapsed < verdict.Replied {
		t.Errorf("received %v ago, after %v of %v", since, verdict.Replied, verdict.Elapsed)
	}
}

func TestProbeSaysWhoAsks(t *testing.T) {
	verdict, err := Probe(context.Background(), modernShell(), WithTranscript(1<<16), WithGrace(0),
		WithClient(Implementation{Name: "host", Version: "2", Title: "Höst", Icons: []Icon{{Src: "data:,", Theme: "dark"}}}),
		WithCapabilities(json.RawMessage(`{"sampling":{}}`)))
	if err != nil {
		t.Fatal(err)
	}
	first := verdict.Transcript[0]
	for _, part := range []string{`"name":"host"`, `"title":"Höst"`, `{"src":"data:,","theme":"dark"}`, `{"sampling":{}}`} {
		if !strings.Contains(string(first.Data), part) {
			t.Errorf("%s lacks %s", first.Data, part)
		}
	}
	if first.Direction != DirectionToServer || verdict.Transcript[1].Direction != DirectionFromServer || verdict.TranscriptTruncated {
		t.Errorf("got %+v", verdict.Transcript)
	}
}

func TestProbeRefuses(t *testing.T) {
	ctx, command := context.Background(), NewCommand("true")
	for _, c := range []struct {
		command  *Command
		option   Option
		is       error
		argument string
	}{
		{nil, WithTimeout(0), ErrInvalidArgument, "argv"},
		{&Command{}, WithTimeout(0), ErrInvalidArgument, "argv"},
		{&Command{Args: []string{"true"}, Stderr: 99}, WithTimeout(0), ErrInvalidArgument, "stderr_mode"},
		{command, WithTimeout(-1), ErrInvalidArgument, "timeout_ms"},
		{command, WithTimeout(25 * time.Hour), ErrInvalidArgument, "timeout_ms"},
		{command, WithDiscoverTimeout(-time.Second), ErrInvalidArgument, "discover_timeout_ms"},
		{command, WithGrace(-time.Millisecond), ErrInvalidArgument, "grace_ms"},
		{command, WithMaxLineBytes(-1), ErrInvalidArgument, "max_line_bytes"},
		{command, WithMaxStderrBytes(1 << 40), ErrInvalidArgument, "max_stderr_bytes"},
		{command, WithTranscript(-1), ErrInvalidArgument, "max_transcript_bytes"},
		{command, WithMaxStarts(-1), ErrInvalidArgument, "max_starts"},
		{command, WithMaxStarts(1 << 40), ErrInvalidArgument, "max_starts"},
		{command, WithFallback(99), ErrInvalidArgument, "fallback"},
		{command, WithModernVersions(), ErrInvalidArgument, "modern_versions"},
		{command, WithLegacyVersions("2026-07-28"), ErrInvalidArgument, "legacy_versions[0]"},
		{command, WithClient(Implementation{Name: "n"}), ErrInvalidArgument, "client_version"},
		{command, WithClient(Implementation{}), ErrInvalidArgument, "client_version"},
		{command, WithCapabilities(json.RawMessage(`{"a":}`)), ErrInvalidJSON, "client_capabilities_json"},
	} {
		_, err := Probe(ctx, c.command, c.option)
		var failure *Error
		if !errors.Is(err, c.is) || !errors.As(err, &failure) || failure.Argument != c.argument {
			t.Errorf("expected %v of %s, got %v", c.is, c.argument, err)
		}
	}
}

func TestCommandsThatCannotBeStarted(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := NewCommand("true")
	elsewhere.Dir = "/no/such/folder"
	for _, c := range []struct {
		command *Command
		status  Status
		is      []error
		isNot   []error
	}{
		{NewCommand("no-such-mcp-server"), StatusCommandNotFound, []error{ErrCommandNotFound, exec.ErrNotFound}, []error{ErrPermissionDenied}},
		{NewCommand(plain), StatusPermissionDenied, []error{ErrPermissionDenied, fs.ErrPermission}, []error{ErrCommandNotFound}},
		{elsewhere, StatusStartFailed, []error{ErrStartFailed}, []error{exec.ErrNotFound, fs.ErrPermission}},
	} {
		verdict, err := Probe(context.Background(), c.command)
		var failure *Error
		if verdict != nil || !errors.As(err, &failure) || failure.Status != c.status || failure.Message == "" || failure.Offset != -1 {
			t.Errorf("%v: got %v, %+v", c.command.Args, verdict, err)
		}
		for _, is := range c.is {
			if !errors.Is(err, is) {
				t.Errorf("%v is not %v", err, is)
			}
		}
		for _, is := range append(c.isNot, context.Canceled, context.DeadlineExceeded, ErrCancelled) {
			if errors.Is(err, is) {
				t.Errorf("%v is %v", err, is)
			}
		}
	}
	if got := ErrCommandNotFound.Error(); got != "mcpdiscover: command not found" {
		t.Errorf("got %q", got)
	}
}

func TestContextThatIsDone(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "started")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	expired, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for ctx, is := range map[context.Context]error{cancelled: context.Canceled, expired: context.DeadlineExceeded} {
		if _, err := Probe(ctx, NewCommand("touch", mark)); !errors.Is(err, is) || !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v, expected %v", err, is)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the command was started")
	}
}

// telling is a server that tells its process id through a pipe when it runs, and then does this.
func telling(t *testing.T, lines ...string) (*Command, func() int) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	command := shell(append([]string{`echo $$ > "$PIPE"`}, lines...)...)
	command.Env = []string{"PIPE=" + pipe}
	return command, func() int {
		return must(strconv.Atoi(strings.TrimSpace(string(must(os.ReadFile(pipe))))))
	}
}

func TestCancelling(t *testing.T) {
	cause := errors.New("the user left")
	for name, lines := range map[string][]string{
		"a silent server":       {`exec sleep 100`},
		"a stubborn server":     {`trap '' TERM`, `sleep 100`, `sleep 100`},
		"with a grandchild":     {`sleep 100 &`, `wait`},
		"one that is too noisy": {`exec yes`},
	} {
		t.Run(name, func(t *testing.T) {
			command, pid := telling(t, lines...)
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			done := make(chan error)
			go func() {
				_, err := Probe(ctx, command)
				done <- err
			}()
			server := pid()
			began := time.Now()
			cancel(cause)
			err := <-done
			elapsed := time.Since(began)
			if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || !errors.Is(err, ErrCancelled) ||
				errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), cause.Error()) {
				t.Errorf("got %v", err)
			}
			t.Logf("returned %v after the context was cancelled", elapsed)
			if elapsed > time.Second {
				t.Errorf("took %v to return", elapsed)
			}
			if isAlive(server) {
				t.Errorf("process %d was left behind", server)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	for _, options := range [][]Option{nil, {WithFallback(FallbackNone)}, {WithTimeout(time.Hour)}} {
		_, err := Probe(ctx, shell(`exec sleep 100`), options...)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrCancelled) || errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if elapsed := time.Since(began); elapsed < 300*time.Millisecond || elapsed > 2*time.Second {
		t.Errorf("took %v", elapsed)
	}
}

// TestDeadlineLeavesTimeToFallBack has a server that knows initialize only, and ignores all else. The library's own
// deadline for server/discover would come too late.
func TestDeadlineLeavesTimeToFallBack(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	verdict, err := Probe(ctx, shell(
		`read discover`,
		`read initialize`,
		`echo '{"jsonrpc":"2.0","id":"initialize-1","result":{"protocolVersion":"2025-11-25"}}'`,
		`read end`,
	))
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Era != EraLegacy || verdict.DiscoverOutcome != OutcomeSilence || verdict.InitializeOutcome != OutcomeResult {
		t.Errorf("got %+v", verdict)
	}
}

func TestDeadlineThatIsFar(t *testing.T) {
	var s settings
	s.bound(time.Hour)
	if s.timeout != 0 || s.discoverTimeout != 0 {
		t.Errorf("an hour changed the settings to %+v", s)
	}
	s = settings{timeout: time.Second}
	s.bound(2 * time.Second)
	if s.timeout != time.Second {
		t.Errorf("a deadline after the timeout changed it to %v", s.timeout)
	}
	s.bound(100 * time.Millisecond)
	if s.discoverTimeout != 50*time.Millisecond || s.timeout <= 100*time.Millisecond {
		t.Errorf("100 ms left: %+v", s)
	}
}
