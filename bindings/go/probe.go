package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_verdict *verdict; mcpd_error *error; } go_verdict;
//
// static go_verdict go_probe_stdio(const mcpd_probe_options *options) {
//     go_verdict r = {0};
//     r.status = mcpd_probe_stdio(options, &r.verdict, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_cancel *cancel; mcpd_error *error; } go_cancel;
//
// static go_cancel go_cancel_new(void) {
//     go_cancel r = {0};
//     r.status = mcpd_cancel_new(&r.cancel, &r.error);
//     return r;
// }
import "C"

import (
	"context"
	"encoding/json"
	"time"
)

// Command is a server to start. Arguments, environment and paths are bytes, and may be any but NUL.
type Command struct {
	// Args are the program and its arguments. A name without a slash is searched in the PATH that the server gets; no
	// shell is involved.
	Args []string
	// Env changes the environment: "NAME=VALUE" sets a variable, "NAME" alone unsets it, and the last one for a name
	// counts.
	Env []string
	// ExactEnv: the server gets only the variables that Env sets, and none of this process.
	ExactEnv bool
	// Dir is the server's working directory; a relative path of a program is relative to it. The default is that of
	// this process.
	Dir string
	// Stderr is what becomes of the server's standard error.
	Stderr StderrMode
}

// NewCommand is a command with these arguments.
func NewCommand(name string, args ...string) *Command {
	return &Command{Args: append([]string{name}, args...)}
}

// Option changes how a server is probed.
type Option func(*settings)

type settings struct {
	client                            *Implementation
	capabilities                      json.RawMessage
	modern, legacy                    []string
	timeout, discoverTimeout, grace   time.Duration
	hasGrace                          bool
	maxLine, maxStderr, maxTranscript int
	maxStarts                         int
	fallback                          Fallback
	prior                             *Verdict
	// observe sees the verdict as it comes from the library.
	observe func(libraryJSON func() json.RawMessage)
}

// WithClient says who asks; name and version are required. The default is this library, with its version.
func WithClient(client Implementation) Option {
	return func(s *settings) { s.client = &client }
}

// WithCapabilities says what the client can do: an object (ClientCapabilities in the schema). The default is {}.
func WithCapabilities(capabilities json.RawMessage) Option {
	return func(s *settings) { s.capabilities = capabilities }
}

// WithModernVersions sets the modern protocol versions that the client speaks, best first; at least one. The default
// is [ModernVersions].
func WithModernVersions(versions ...string) Option {
	return func(s *settings) { s.modern = append([]string{}, versions...) }
}

// WithLegacyVersions sets the legacy protocol versions that the client speaks, best first. The default is
// [LegacyVersions]. None means a modern-only client: initialize is never sent.
func WithLegacyVersions(versions ...string) Option {
	return func(s *settings) { s.legacy = append([]string{}, versions...) }
}

// WithTimeout sets how long everything but shutdown may take, from the first start. When it has passed, what is known
// so far is the verdict. The default, which 0 stands for, is 30 seconds; a day is the most.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.timeout = timeout }
}

// WithDiscoverTimeout sets how long to wait for the answer to server/discover before asking initialize too. It may be
// short, for a late answer still wins. The default, which 0 stands for, is 5 seconds or half of the timeout, whichever
// is smaller, and all of the timeout with [FallbackNone].
func WithDiscoverTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.discoverTimeout = timeout }
}

// WithGrace sets how long a server may take to exit after its standard input ends, and again after SIGTERM; 0 is no
// time at all. The default is 2 seconds; a day is the most.
func WithGrace(grace time.Duration) Option {
	return func(s *settings) { s.grace, s.hasGrace = grace, true }
}

// WithMaxLineBytes sets the longest line that is read from the server; longer ones are skipped, with a remark. The
// default, which 0 stands for, is 10 MiB; 1 GiB is the most.
func WithMaxLineBytes(bytes int) Option {
	return func(s *settings) { s.maxLine = bytes }
}

// WithMaxStderrBytes sets how much of the end of standard error is kept. The default, which 0 stands for, is 64 KiB;
// 1 GiB is the most.
func WithMaxStderrBytes(bytes int) Option {
	return func(s *settings) { s.maxStderr = bytes }
}

// WithTranscript sets how much of what is said, both ways, is written down in [Verdict.Transcript], in bytes, for bug
// reports. The default is nothing; 1 GiB is the most.
func WithTranscript(maxBytes int) Option {
	return func(s *settings) { s.maxTranscript = maxBytes }
}

// WithMaxStarts sets how many processes may be started one after the other, since some servers end on a request they
// do not know. The default, which 0 stands for, is 2; 100 is the most.
func WithMaxStarts(starts int) Option {
	return func(s *settings) { s.maxStarts = starts }
}

// WithFallback sets what to do where server/discover proves nothing. The default is [FallbackInitialize].
func WithFallback(fallback Fallback) Option {
	return func(s *settings) { s.fallback = fallback }
}

// Probe starts a stdio server, asks it what it is, ends it, and tells. That a server is unknown, broken or silent is a
// verdict and no error; an error says that the command can't be started, that an option is not what it should be, or
// that the context ended the call.
//
// The server is asked server/discover, and initialize where that proves nothing; nothing else is sent to it. Every
// process that was started is ended as the specification wants it (its standard input is closed, then SIGTERM, then
// SIGKILL, each to its process group) and reaped before the call returns.
//
// When the context is done, the call ends its server in a hurry and returns within some 100 milliseconds; it leaves
// nothing running. A deadline of the context bounds the probe: the time left is divided between server/discover and
// initialize as that of [WithTimeout] is. If the deadline passes before there is a verdict, the error matches
// [context.DeadlineExceeded]; use [WithTimeout] for a verdict on a server that says nothing.
//
// A probe occupies a thread while it runs, so the caller decides how many run at once.
func Probe(ctx context.Context, command *Command, options ...Option) (*Verdict, error) {
	var v *Verdict
	fill := func(in *input, o *C.mcpd_probe_options) { in.command(o, command) }
	err := call(ctx, options, fill, func(s *settings, o *C.mcpd_probe_options) (C.mcpd_status, *C.mcpd_error) {
		r := C.go_probe_stdio(o)
		if r.status == C.MCPD_OK {
			defer C.mcpd_verdict_free(r.verdict)
			if s.observe != nil {
				s.observe(func() json.RawMessage { return libraryJSON(r.verdict) })
			}
			v = verdict(r.verdict)
		}
		return r.status, r.error
	})
	return v, err
}

// call makes a call of the library's that the context ends. The options that are not about the probe are filled in first.
func call(
	ctx context.Context,
	options []Option,
	fill func(*input, *C.mcpd_probe_options),
	made func(*settings, *C.mcpd_probe_options) (C.mcpd_status, *C.mcpd_error),
) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	var s settings
	for _, option := range options {
		option(&s)
	}
	if deadline, ok := ctx.Deadline(); ok {
		s.bound(time.Until(deadline))
	}
	var in input
	defer in.free()
	o := s.probeOptions(&in)
	if fill != nil {
		fill(&in, &o)
	}
	if in.err != nil {
		return in.err
	}
	if ctx.Done() != nil {
		cancel, err := newCancel(ctx)
		if err != nil {
			return err
		}
		defer cancel.close()
		o.cancel = cancel.handle
	}
	status, reason := made(&s, &o)
	if status == C.MCPD_OK {
		return nil
	}
	err := failure(status, reason)
	if err.Status == StatusCancelled {
		err = ended(ctx)
	}
	return err
}

const (
	defaultTimeout         = 30 * time.Second
	defaultDiscoverTimeout = 5 * time.Second
	// longer is how much later than the context the library's own clock ends the probe, so that the two do not race.
	longer = time.Second
)

// bound fits the timeouts into the time that the context leaves.
func (s *settings) bound(left time.Duration) {
	timeout := s.timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	if left >= timeout {
		return
	}
	left = max(left, time.Millisecond)
	if s.discoverTimeout == 0 && s.fallback != FallbackNone {
		s.discoverTimeout = min(defaultDiscoverTimeout, left/2)
	}
	s.timeout = left + longer
}

func (s *settings) probeOptions(in *input) C.mcpd_probe_options {
	o := C.mcpd_probe_options{
		struct_size:              C.sizeof_mcpd_probe_options,
		client_capabilities_json: in.text(string(s.capabilities), "client_capabilities_json"),
		timeout_ms:               wholeMilliseconds(s.timeout),
		discover_timeout_ms:      wholeMilliseconds(s.discoverTimeout),
		max_line_bytes:           in.size(s.maxLine, "max_line_bytes"),
		max_stderr_bytes:         in.size(s.maxStderr, "max_stderr_bytes"),
		max_transcript_bytes:     in.size(s.maxTranscript, "max_transcript_bytes"),
		max_starts:               C.int32_t(clamped(s.maxStarts)),
		fallback:                 C.mcpd_fallback(s.fallback),
	}
	if s.hasGrace {
		o.grace_ms = wholeMilliseconds(s.grace)
		if s.grace == 0 {
			o.grace_ms = C.MCPD_NO_GRACE
		} else if s.grace < 0 {
			in.fail(invalid("grace_ms", "is negative; expected a time, or 0 for none", -1))
		}
	}
	if s.modern != nil {
		o.modern_versions = in.list(s.modern, "modern_versions")
	}
	if s.legacy != nil {
		o.legacy_versions = in.list(s.legacy, "legacy_versions")
	}
	o.client_name, o.client_version, o.client_title, o.client_description, o.client_website_url, o.client_icons_json =
		in.client(s.client)
	return o
}

func (in *input) command(o *C.mcpd_probe_options, command *Command) {
	if command == nil {
		command = &Command{}
	}
	o.argv = in.list(command.Args, "argv")
	o.env = in.list(command.Env, "env")
	o.cwd = in.text(command.Dir, "cwd")
	o.stderr_mode = C.mcpd_stderr_mode(command.Stderr)
	if command.ExactEnv {
		o.env_mode = C.MCPD_ENV_EXACT
	}
}

// size passes on a number of bytes. What is too large is for the library to refuse, in its own words.
func (in *input) size(bytes int, argument string) C.size_t {
	if bytes < 0 {
		in.fail(invalid(argument, "is negative; expected a number of bytes", -1))
	}
	return C.size_t(bytes)
}

// clamped fits into 32 bits, as large as it is.
func clamped(n int) int32 { return int32(min(max(int64(n), -1<<31), 1<<31-1)) }

// wholeMilliseconds rounds up, for 0 is the default and no time.
func wholeMilliseconds(d time.Duration) C.int64_t {
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	} else if d%time.Millisecond < 0 {
		ms--
	}
	return C.int64_t(ms)
}

// cancel is a handle of the library's that is fired when a context is done.
type cancel struct {
	handle *C.mcpd_cancel
	stop   func()
}

func newCancel(ctx context.Context) (*cancel, error) {
	r := C.go_cancel_new()
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	return &cancel{r.cancel, whenDone(ctx, func() { C.mcpd_cancel_fire(r.cancel) })}, nil
}

// close frees the handle, once nobody can fire it any more.
func (c *cancel) close() {
	c.stop()
	C.mcpd_cancel_free(c.handle)
}

// whenDone calls fire when the context is done. Once stop has returned it does not any more.
func whenDone(ctx context.Context, fire func()) (stop func()) {
	fired := make(chan struct{})
	stopped := context.AfterFunc(ctx, func() {
		fire()
		close(fired)
	})
	return func() {
		if !stopped() {
			<-fired
		}
	}
}
