package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_connection *connection; mcpd_verdict *verdict; mcpd_error *error; } go_opened;
//
// static go_opened go_connection_open(const mcpd_probe_options *options, const mcpd_verdict *prior) {
//     go_opened r = {0};
//     r.status = mcpd_connection_open(options, prior, &r.connection, &r.verdict, &r.error);
//     return r;
// }
//
// static go_opened go_probe_descriptors(const mcpd_probe_options *options, int32_t to, int32_t from,
//                                       const mcpd_verdict *prior, int32_t keep) {
//     go_opened r = {0};
//     r.status = mcpd_probe_descriptors(options, to, from, prior, keep ? &r.connection : NULL, &r.verdict, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_error *error; } go_done;
//
// static go_done go_connection_close(mcpd_connection *connection, int64_t grace_ms) {
//     go_done r = {0};
//     r.status = mcpd_connection_close(connection, grace_ms, NULL, &r.error);
//     return r;
// }
//
// static go_done go_connection_release(mcpd_connection *connection) {
//     go_done r = {0};
//     r.status = mcpd_connection_release(connection, &r.error);
//     return r;
// }
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// Connection is a server that runs and is ready for use; [Open] makes it. It reads what the server writes, from the
// first byte behind its last answer on, and writes what the server reads.
//
// A modern server has been sent no initialize. A legacy one has been sent no server/discover, has answered initialize,
// and has been sent notifications/initialized. A connection must be closed or released. One goroutine may read while
// another writes, and any may close.
type Connection struct {
	verdict       *Verdict
	era           Era
	pid           int
	grace         C.int64_t
	unread        []byte
	stdin, stdout *os.File
	stderr        *os.File

	mu     sync.Mutex
	handle *C.mcpd_connection
	exit   Process
}

var _ io.ReadWriteCloser = (*Connection)(nil)

// NoConnectionError says that a server cannot be used, or could not be opened; its verdict says why.
type NoConnectionError struct {
	Verdict *Verdict
}

func (e *NoConnectionError) Error() string {
	return fmt.Sprintf("mcpdiscover: there is no connection; the verdict is %v, %v: %s", e.Verdict.Era, e.Verdict.Next, e.Verdict.Summary)
}

// WithPrior gives [Open] a verdict on the same command, such as one that was stored. If it is storable the server is
// not asked what it is, but opened at once; if it proves wrong the server is probed after all, with a remark.
// [OpenDescriptors] takes any verdict. [Probe] does not look at it.
func WithPrior(verdict *Verdict) Option {
	return func(s *settings) { s.prior = verdict }
}

// Open starts a stdio server, asks it what it is as [Probe] does, and keeps it running. If the server cannot be used, or
// not be opened, the error is a [*NoConnectionError]. The context ends the call, and not the connection.
//
// With [StderrCapture], the default of a [Command], [Connection.Stderr] has to be read: a server waits once the pipe is
// full. [StderrInherit] and [StderrDiscard] spare that.
func Open(ctx context.Context, command *Command, options ...Option) (*Connection, error) {
	fill := func(in *input, o *C.mcpd_probe_options) { in.command(o, command) }
	return open(ctx, options, fill, func(o *C.mcpd_probe_options, prior *C.mcpd_verdict) C.go_opened {
		return C.go_connection_open(o, prior)
	})
}

// OpenDescriptors is [Open] over descriptors that the caller has opened: the pipes of a container, a socket; both may be
// the same. They stay open. Nothing is asked after server/discover, so that what is there can be used. If the server
// turns out to be legacy there is no connection: open new descriptors to a server that has seen nothing yet, and pass
// the verdict with [WithPrior].
func OpenDescriptors(ctx context.Context, toServer, fromServer uintptr, options ...Option) (*Connection, error) {
	return open(ctx, options, nil, func(o *C.mcpd_probe_options, prior *C.mcpd_verdict) C.go_opened {
		return C.go_probe_descriptors(o, C.int32_t(toServer), C.int32_t(fromServer), prior, 1)
	})
}

// ProbeDescriptors is [Probe] over descriptors that the caller has opened. They stay open, but may be of no use
// afterwards: a server that was sent both server/discover and initialize may refuse to go on.
func ProbeDescriptors(ctx context.Context, toServer, fromServer uintptr, options ...Option) (*Verdict, error) {
	var v *Verdict
	err := call(ctx, options, nil, func(_ *settings, o *C.mcpd_probe_options) (C.mcpd_status, *C.mcpd_error) {
		r := C.go_probe_descriptors(o, C.int32_t(toServer), C.int32_t(fromServer), nil, 0)
		if r.status == C.MCPD_OK {
			defer C.mcpd_verdict_free(r.verdict)
			v = verdict(r.verdict)
		}
		return r.status, r.error
	})
	return v, err
}

func open(
	ctx context.Context,
	options []Option,
	fill func(*input, *C.mcpd_probe_options),
	opened func(*C.mcpd_probe_options, *C.mcpd_verdict) C.go_opened,
) (*Connection, error) {
	var v *Verdict
	var kept *C.mcpd_connection
	var grace C.int64_t
	var failed error
	err := call(ctx, options, fill, func(s *settings, o *C.mcpd_probe_options) (C.mcpd_status, *C.mcpd_error) {
		var prior *C.mcpd_verdict
		if s.prior != nil {
			if prior, failed = given(s.prior); failed != nil {
				return C.MCPD_OK, nil
			}
			defer C.mcpd_verdict_free(prior)
		}
		r := opened(o, prior)
		if r.status == C.MCPD_OK {
			defer C.mcpd_verdict_free(r.verdict)
			v, kept, grace = verdict(r.verdict), r.connection, o.grace_ms
		}
		return r.status, r.error
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	if kept == nil {
		return nil, &NoConnectionError{v}
	}
	return connection(kept, v, grace)
}

// given is the verdict as the library has it, to be freed.
func given(v *Verdict) (*C.mcpd_verdict, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return readVerdict(data)
}

// connection takes over a connection of the library's.
func connection(kept *C.mcpd_connection, v *Verdict, grace C.int64_t) (*Connection, error) {
	c := &Connection{
		verdict: v,
		era:     Era(kept.era),
		pid:     int(kept.pid),
		grace:   grace,
		unread:  append([]byte{}, unsafe.Slice((*byte)(kept.unread), kept.unread_length)...),
		handle:  kept,
	}
	var err error
	for _, end := range []struct {
		file **os.File
		fd   C.int32_t
		name string
	}{{&c.stdin, kept.stdin_fd, "stdin"}, {&c.stdout, kept.stdout_fd, "stdout"}, {&c.stderr, kept.stderr_fd, "stderr"}} {
		if end.fd >= 0 && err == nil {
			*end.file, err = copyOf(int(end.fd), end.name)
		}
	}
	if err != nil {
		c.hangUp()
		C.mcpd_connection_free(kept)
		return nil, err
	}
	runtime.SetFinalizer(c, func(c *Connection) { C.mcpd_connection_free(c.handle) })
	return c, nil
}

// copyOf makes a file of a copy of a descriptor, such that closing it ends what waits for it.
func copyOf(fd int, name string) (*os.File, error) {
	copied, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("fcntl", errno)
	}
	if err := syscall.SetNonblock(int(copied), true); err != nil {
		_ = syscall.Close(int(copied))
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(copied, name), nil
}

// Verdict is what the server is, and why.
func (c *Connection) Verdict() *Verdict { return c.verdict }

// Era is how the server is spoken to.
func (c *Connection) Era() Era { return c.era }

// Version is the protocol version to go on with.
func (c *Connection) Version() string { return c.verdict.Version }

// PID is the process id, and the number of its process group; 0 over descriptors of the caller's.
func (c *Connection) PID() int { return c.pid }

// Stderr is what the server writes to standard error; nil if that is not captured.
func (c *Connection) Stderr() io.Reader {
	if c.stderr == nil {
		return nil
	}
	return c.stderr
}

// Read reads what the server writes.
func (c *Connection) Read(p []byte) (int, error) {
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	return c.stdout.Read(p)
}

// Write writes what the server reads.
func (c *Connection) Write(p []byte) (int, error) { return c.stdin.Write(p) }

// Close ends the server as a probe does: its input ends, then SIGTERM comes, then SIGKILL, with the time of [WithGrace]
// between them. Afterwards [Connection.Exit] tells how it ended. A second time it does nothing. Over descriptors of the
// caller's, and after [Connection.Release], it only closes what the connection has of its own.
func (c *Connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.hangUp()
	_ = c.stdin.Close()
	if c.handle == nil {
		return nil
	}
	r := C.go_connection_close(c.handle, c.grace)
	if r.status == C.MCPD_OK {
		c.exit = Process{
			ExitKind:  ExitKind(c.handle.exit_kind),
			ExitValue: int(c.handle.exit_value),
			Shutdown:  Shutdown(c.handle.shutdown),
		}
	}
	c.forget()
	if r.status != C.MCPD_OK {
		return failure(r.status, r.error)
	}
	return nil
}

// Exit tells how the server ended, once the connection is closed: its kind and value, and what it took to end it.
func (c *Connection) Exit() (ExitKind, int, Shutdown) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit.ExitKind, c.exit.ExitValue, c.exit.Shutdown
}

// Release leaves the process to the caller for good, who waits for it, and closes the connection, which then ends
// nothing but its pipes.
func (c *Connection) Release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == nil {
		return invalid("connection", "was closed or released before", -1)
	}
	kept := *c.handle
	r := C.go_connection_release(c.handle)
	if r.status != C.MCPD_OK {
		return failure(r.status, r.error)
	}
	c.forget()
	if c.pid != 0 {
		for _, fd := range []C.int32_t{kept.stdin_fd, kept.stdout_fd, kept.stderr_fd} {
			if fd >= 0 {
				_ = syscall.Close(int(fd))
			}
		}
	}
	return nil
}

func (c *Connection) forget() {
	runtime.SetFinalizer(c, nil)
	C.mcpd_connection_free(c.handle)
	c.handle = nil
}

func (c *Connection) hangUp() {
	for _, file := range []*os.File{c.stdin, c.stdout, c.stderr} {
		if file != nil {
			_ = file.Close()
		}
	}
}
