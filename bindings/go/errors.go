package mcpdiscover

// #include <mcp_discover.h>
import "C"

import (
	"context"
	"io/fs"
	"os/exec"
	"strings"
)

// Error says why a call could not do what was asked. [errors.Is] matches it with the Err... value of its status. If
// the context ended the call, it also matches the error of the context and its cause.
type Error struct {
	// Status is the kind of failure.
	Status Status
	// Message says what went wrong, and what was expected, in English. It never holds the value of a command's
	// argument, nor of an environment variable other than PATH.
	Message string
	// Argument is the option at fault, by its name in C, such as "client_icons_json" or "env[2]"; empty if none is.
	Argument string
	// Offset is where in that text the fault is, in bytes from its start; -1 if it has no place.
	Offset int64

	ended []error
}

// Error gives the message.
func (e *Error) Error() string { return "mcpdiscover: " + e.Message }

// Unwrap gives the Err... value of the status, and what the context says if it ended the call.
func (e *Error) Unwrap() []error { return append([]error{sentinel(e.Status)}, e.ended...) }

// sentinel is an error that is nothing but a status.
type sentinel Status

func (s sentinel) Error() string {
	return "mcpdiscover: " + strings.ReplaceAll(Status(s).String(), "_", " ")
}

// Is matches the errors by which the standard library says the same.
func (s sentinel) Is(target error) bool {
	switch Status(s) {
	case StatusCommandNotFound:
		return target == exec.ErrNotFound
	case StatusPermissionDenied:
		return target == fs.ErrPermission
	}
	return false
}

// Every [*Error] matches one of these by its status.
var (
	ErrInvalidArgument error = sentinel(StatusInvalidArgument)
	ErrInvalidJSON     error = sentinel(StatusInvalidJSON)
	ErrInvalidUTF8     error = sentinel(StatusInvalidUTF8)
	// ErrCommandNotFound also matches [exec.ErrNotFound].
	ErrCommandNotFound error = sentinel(StatusCommandNotFound)
	// ErrPermissionDenied also matches [fs.ErrPermission].
	ErrPermissionDenied error = sentinel(StatusPermissionDenied)
	ErrStartFailed      error = sentinel(StatusStartFailed)
	ErrOutOfResources   error = sentinel(StatusOutOfResources)
	ErrOutOfMemory      error = sentinel(StatusOutOfMemory)
	// ErrCancelled is matched by calls that the context ended. They match [context.Canceled] or
	// [context.DeadlineExceeded] too.
	ErrCancelled    error = sentinel(StatusCancelled)
	ErrWrongProcess error = sentinel(StatusWrongProcess)
	ErrNotSupported error = sentinel(StatusNotSupported)
	ErrInternal     error = sentinel(StatusInternalError)
)

// failure takes over an error of the library's.
func failure(status C.mcpd_status, err *C.mcpd_error) *Error {
	if err == nil {
		return &Error{Status: Status(status), Message: Status(status).String(), Offset: -1}
	}
	defer C.mcpd_error_free(err)
	return readError(err)
}

// readError copies an error of the library's.
func readError(err *C.mcpd_error) *Error {
	return &Error{
		Status:   Status(err.status),
		Message:  text(err.message),
		Argument: text(err.argument),
		Offset:   int64(err.offset),
	}
}

// invalid says that an argument is not what the library takes.
func invalid(argument, problem string, offset int64) *Error {
	return &Error{
		Status:   StatusInvalidArgument,
		Message:  argument + ": " + problem,
		Argument: argument,
		Offset:   offset,
	}
}

// ended says that the context has ended the call.
func ended(ctx context.Context) *Error {
	err := &Error{
		Status:  StatusCancelled,
		Message: "the probe was stopped: " + context.Cause(ctx).Error(),
		Offset:  -1,
		ended:   []error{ctx.Err()},
	}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		err.ended = append(err.ended, cause)
	}
	return err
}
