package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_negotiation *negotiation; mcpd_error *error; } go_negotiation;
//
// static go_negotiation go_negotiation_new(const mcpd_probe_options *options) {
//     go_negotiation r = {0};
//     r.status = mcpd_negotiation_new(options, &r.negotiation, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_error *error; } go_done;
//
// static go_done go_negotiation_next(mcpd_negotiation *negotiation, int64_t now_ms) {
//     go_done r = {0};
//     r.status = mcpd_negotiation_next(negotiation, now_ms, &r.error);
//     return r;
// }
//
// static go_done go_negotiation_started(mcpd_negotiation *negotiation, int64_t now_ms) {
//     go_done r = {0};
//     r.status = mcpd_negotiation_started(negotiation, now_ms, &r.error);
//     return r;
// }
//
// static go_done go_negotiation_received(mcpd_negotiation *negotiation, const char *data, size_t length, int64_t now_ms) {
//     go_done r = {0};
//     r.status = mcpd_negotiation_received(negotiation, data, length, now_ms, &r.error);
//     return r;
// }
//
// static go_done go_negotiation_received_message(mcpd_negotiation *negotiation, const char *data, size_t length,
//                                                int64_t now_ms) {
//     go_done r = {0};
//     r.status = mcpd_negotiation_received_message(negotiation, data, length, now_ms, &r.error);
//     return r;
// }
//
// static go_done go_negotiation_closed(mcpd_negotiation *negotiation, mcpd_outcome how, int64_t now_ms) {
//     go_done r = {0};
//     r.status = mcpd_negotiation_closed(negotiation, how, now_ms, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_verdict *verdict; mcpd_error *error; } go_negotiated;
//
// static go_negotiated go_negotiation_verdict(mcpd_negotiation *negotiation, int64_t since_1970_ms) {
//     go_negotiated r = {0};
//     r.status = mcpd_negotiation_verdict(negotiation, since_1970_ms, &r.verdict, &r.error);
//     return r;
// }
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Negotiation is a negotiation with a server over a transport of the program's own: SSH, a WebSocket, a socket, a test.
// It does no I/O and starts nothing. [Negotiation.Next] says what to do; do it, tell what came of it, and ask again,
// until there is the verdict that [Probe] would have given.
//
// Pass on what has come before Next is called again: what the negotiation does not know it takes for silence once a
// deadline has passed. Calls out of order match [ErrInvalidArgument]. It is for one goroutine at a time; Close frees it.
type Negotiation struct {
	negotiation *C.mcpd_negotiation
	stop        runtime.Cleanup
	began       time.Time
	now         func() time.Time
}

// NewNegotiation begins a negotiation, whose first step is [StepStart]. Of the options those about processes count for
// nothing: [WithGrace] and [WithMaxStderrBytes].
func NewNegotiation(options ...Option) (*Negotiation, error) {
	var s settings
	for _, option := range options {
		option(&s)
	}
	var in input
	defer in.free()
	o := s.probeOptions(&in)
	if in.err != nil {
		return nil, in.err
	}
	r := C.go_negotiation_new(&o)
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	n := &Negotiation{negotiation: r.negotiation, began: time.Now(), now: time.Now}
	n.stop = runtime.AddCleanup(n, func(n *C.mcpd_negotiation) { C.mcpd_negotiation_free(n) }, r.negotiation)
	return n, nil
}

// Close frees the negotiation, at whatever step it is; a second Close does nothing.
func (n *Negotiation) Close() {
	if n.negotiation != nil {
		n.stop.Stop()
		C.mcpd_negotiation_free(n.negotiation)
		n.negotiation = nil
	}
}

// Next says what to do now. After [StepSend] it means that the line was sent.
func (n *Negotiation) Next() (Step, error) {
	defer runtime.KeepAlive(n)
	if err := done(C.go_negotiation_next(n.negotiation, n.nowMs())); err != nil {
		return 0, err
	}
	return Step(n.negotiation.step), nil
}

// Line is what to send with [StepSend]: the message, with the line feed that ends it on a stream. Over a transport that
// keeps messages apart leave out that last byte. Else it is nil.
func (n *Negotiation) Line() []byte {
	defer runtime.KeepAlive(n)
	if n.negotiation == nil {
		return nil
	}
	return raw(n.negotiation.line)
}

// Deadline is when to call Next again at the latest, with [StepWait]; else it is zero. It is that of the clock which a
// time.Time holds beside the calendar's.
func (n *Negotiation) Deadline() time.Time {
	defer runtime.KeepAlive(n)
	if n.negotiation == nil || n.negotiation.deadline_ms == 0 {
		return time.Time{}
	}
	return n.began.Add(time.Duration(n.negotiation.deadline_ms) * time.Millisecond)
}

// Started tells that a server has been started, or connected to, that has seen nothing yet.
func (n *Negotiation) Started() error {
	defer runtime.KeepAlive(n)
	return done(C.go_negotiation_started(n.negotiation, n.nowMs()))
}

// Received passes on what has come from the server over a stream, cut anywhere.
func (n *Negotiation) Received(data []byte) error {
	defer runtime.KeepAlive(n)
	place, length := bytesIn(data)
	return done(C.go_negotiation_received(n.negotiation, place, length, n.nowMs()))
}

// ReceivedMessage passes on a whole message, over a transport that keeps messages apart; it need not be one line.
func (n *Negotiation) ReceivedMessage(message []byte) error {
	defer runtime.KeepAlive(n)
	place, length := bytesIn(message)
	return done(C.go_negotiation_received_message(n.negotiation, place, length, n.nowMs()))
}

// Closed tells that the server will say no more: it has ended, or the connection is closed or broken. How is
// [OutcomeExit] if the server's process is known to have exited, else [OutcomeStdoutClosed]; it counts for the outcomes
// and the words of the verdict alone.
func (n *Negotiation) Closed(how Outcome) error {
	defer runtime.KeepAlive(n)
	return done(C.go_negotiation_closed(n.negotiation, C.mcpd_outcome(how), n.nowMs()))
}

// Verdict takes the verdict, after which the negotiation can only be closed. Before [StepFinish] it is the verdict on a
// server that has not answered in time.
func (n *Negotiation) Verdict() (*Verdict, error) {
	defer runtime.KeepAlive(n)
	r := C.go_negotiation_verdict(n.negotiation, C.int64_t(time.Now().UnixMilli()))
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	defer C.mcpd_verdict_free(r.verdict)
	return verdict(r.verdict), nil
}

// nowMs is the time by a clock that does not jump.
func (n *Negotiation) nowMs() C.int64_t { return C.int64_t(n.now().Sub(n.began).Milliseconds()) }

func done(r C.go_done) error {
	if r.status != C.MCPD_OK {
		return failure(r.status, r.error)
	}
	return nil
}

// bytesIn are bytes as a C function takes them, which wants an address even if there are none.
func bytesIn(data []byte) (*C.char, C.size_t) {
	if data == nil {
		data = []byte{}
	}
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(data))), C.size_t(len(data))
}
