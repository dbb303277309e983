package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_scan *scan; mcpd_error *error; } go_scan;
//
// static go_scan go_scan_new(int32_t max_running) {
//     mcpd_scan_options options = {0};
//     go_scan r = {0};
//     options.struct_size = sizeof options;
//     options.max_running = max_running;
//     r.status = mcpd_scan_new(&options, &r.scan, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_error *error; } go_scan_added;
//
// static go_scan_added go_scan_add(mcpd_scan *scan, const mcpd_probe_options *options, uint64_t tag) {
//     go_scan_added r = {0};
//     r.status = mcpd_scan_add(scan, options, tag, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_scan_item *item; mcpd_error *error; } go_scan_item;
//
// static go_scan_item go_scan_next(mcpd_scan *scan) {
//     go_scan_item r = {0};
//     r.status = mcpd_scan_next(scan, 0, &r.item, &r.error);
//     return r;
// }
import "C"

import (
	"context"
	"iter"
)

// Result is what came of one server of a [Scan]: a verdict, or an error as [Probe] would give it.
type Result struct {
	Verdict *Verdict
	Err     error
}

// Scan probes many servers side by side, at most maxRunning at once, and gives the index of each with what came of it
// as soon as that is known. For maxRunning 0 is the default, 8; 1,024 is the most. The options are those of [Probe],
// for every server.
//
// What cannot be probed comes with its error, and the others go on; an error that concerns all of them comes once,
// with the index -1. When the context is done, the servers that run are ended side by side and in a hurry, within some
// 100 milliseconds, and every server that has no verdict comes with an error that matches [ErrCancelled] and the error
// of the context. The loop may be left at any time: then too all servers are ended and reaped before it is.
//
// All of it happens on one thread, while the next result is waited for. In between, the clocks of the probes stand
// still, so that a loop may take its time over each result. A deadline of the context ends the scan as a whole; the
// time for each server is set by [WithTimeout].
//
// Each range over the sequence is a scan of its own.
func Scan(ctx context.Context, commands []*Command, maxRunning int, options ...Option) iter.Seq2[int, Result] {
	return func(yield func(int, Result) bool) {
		if len(commands) == 0 {
			return
		}
		r := C.go_scan_new(C.int32_t(clamped(maxRunning)))
		if r.status != C.MCPD_OK {
			yield(-1, Result{Err: failure(r.status, r.error)})
			return
		}
		// Freeing is put off first, so that it comes last: nobody may cancel the scan any more.
		defer C.mcpd_scan_free(r.scan)
		if ctx.Err() != nil {
			C.mcpd_scan_cancel(r.scan)
		} else if ctx.Done() != nil {
			defer whenDone(ctx, func() { C.mcpd_scan_cancel(r.scan) })()
		}
		var s settings
		for _, option := range options {
			option(&s)
		}
		for i, command := range commands {
			if err := s.add(r.scan, command, i); err != nil && !yield(i, Result{Err: ofContext(ctx, err)}) {
				return
			}
		}
		for {
			next := C.go_scan_next(r.scan)
			if next.status != C.MCPD_OK {
				yield(-1, Result{Err: failure(next.status, next.error)})
				return
			}
			if next.item == nil {
				return
			}
			if index, result := taken(ctx, next.item); !yield(index, result) {
				return
			}
		}
	}
}

// add gives a server to the scan, which copies all it needs.
func (s *settings) add(scan *C.mcpd_scan, command *Command, index int) *Error {
	var in input
	defer in.free()
	o := s.probeOptions(&in)
	in.command(&o, command)
	if in.err != nil {
		return in.err
	}
	if r := C.go_scan_add(scan, &o, C.uint64_t(index)); r.status != C.MCPD_OK {
		return failure(r.status, r.error)
	}
	return nil
}

// taken takes over an item of the library's.
func taken(ctx context.Context, item *C.mcpd_scan_item) (index int, result Result) {
	defer C.mcpd_scan_item_free(item)
	if item.verdict == nil {
		return int(item.tag), Result{Err: ofContext(ctx, readError(item.error))}
	}
	return int(item.tag), Result{Verdict: verdict(item.verdict)}
}

// ofContext says of a cancelled probe what cancelled it.
func ofContext(ctx context.Context, err *Error) *Error {
	if err.Status == StatusCancelled {
		return ended(ctx)
	}
	return err
}
