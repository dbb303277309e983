package mcpdiscover

// #include <mcp_discover.h>
import "C"

import (
	"encoding/json"
	"math"
	"time"
	"unsafe"
)

// Process is what is known of a process that was started for a probe.
type Process struct {
	// ExitKind is how it ended.
	ExitKind ExitKind
	// ExitValue is its exit code or the number of the signal, by ExitKind; else 0.
	ExitValue int
	// Shutdown is what it took to end it.
	Shutdown Shutdown
	// BytesReceived were read from its standard output.
	BytesReceived uint64
	// SkippedLines are the lines on its standard output that were no JSON-RPC messages.
	SkippedLines uint64
	// SkippedSample has the first 200 bytes of each of the first 5 such lines.
	SkippedSample []string
	// StderrTail is the end of what it wrote to standard error; empty if that was nothing, or was not captured.
	StderrTail string

	// shutdown is the name of Shutdown, if it is of a later version.
	shutdown string
}

// TranscriptEntry is what went over a pipe in one piece; see [WithTranscript].
type TranscriptEntry struct {
	// At is when, from the start of the first process.
	At time.Duration
	// Process is which: an index into [Verdict.Processes].
	Process int
	// Direction says who said it.
	Direction Direction
	// Data are the bytes, whatever they are.
	Data []byte
}

// Verdict is what a server is, what to do next, and why.
//
// A DiscoverResult, or one of the three errors that only modern servers have ([RPCHeaderMismatch] and the two that
// follow it), proves a modern server, and nothing that comes later makes it legacy. An InitializeResult, or a
// DiscoverResult that names legacy versions only, proves a legacy one. Any other error, whatever its code, an answer
// that can't be used, silence, an exit: these prove nothing, and initialize is asked instead, in a fresh process where
// it is needed. If that proves nothing either, the era is unknown.
//
// As JSON it is an object with "schema": 1, the same in every language of the library, for logs and caches. Read from
// JSON, it is what it was before; codes of later versions keep their names, while members of later versions are left
// out. [Verdict.FreshAt] tells how long what it holds is current.
type Verdict struct {
	// Era is how the server is spoken to.
	Era Era
	// Next is what to do next.
	Next Next
	// Version is the protocol version to do it with, if Next is [NextUseModern], [NextInitialize] or
	// [NextInitializeOrSSE].
	Version string
	// Confirmed: the server said so itself, by a result or by an error that only modern servers have.
	Confirmed bool
	// Storable: the verdict may be stored and used for later connections. It is confirmed, and server/discover was
	// answered, so that a start that failed by chance is never stored.
	Storable bool
	// DiscoverOutcome is what came of server/discover.
	DiscoverOutcome Outcome
	// InitializeOutcome is what came of initialize.
	InitializeOutcome Outcome
	// Summary says why, in one English sentence. It may quote the server.
	Summary string
	// ReceivedAt is when the last answer that counted arrived; zero if none did. With [DiscoverResult.TTL] it tells
	// how long the result stays fresh.
	ReceivedAt time.Time
	// Server is who the server says it is, in whichever result it sent; nil if it does not say.
	Server *Implementation
	// Capabilities are what the server can do, by whichever result it sent; nil if it does not say.
	Capabilities *ServerCapabilities
	// Instructions say how to use the server, written for a language model, from whichever result it sent.
	Instructions string
	// SupportedVersions are the protocol versions that the server named, in a DiscoverResult or an error.
	SupportedVersions []string
	// Discover is the result of server/discover; nil if there was none.
	Discover *DiscoverResult
	// Initialize is the result of initialize; nil if there was none.
	Initialize *InitializeResult
	// DiscoverError is the error that answered server/discover; nil if none did. Of several it is the one that proved
	// the server modern.
	DiscoverError *RPCError
	// InitializeError is the error that answered initialize; nil if none did.
	InitializeError *RPCError
	// Remarks are everything odd that the server did.
	Remarks []Remark
	// Processes are those that were started, in order; each has ended, unless its Shutdown is [ShutdownAbandoned] or
	// [ShutdownKept].
	Processes []Process
	// Elapsed is the time from the start of the first process to the end of the last.
	Elapsed time.Duration
	// Replied is the time from the start of the first process to the last answer that counted; 0 if none did.
	Replied time.Duration
	// Transcript is what was said, both ways; nil without [WithTranscript].
	Transcript []TranscriptEntry
	// TranscriptTruncated: more was said than the limit let into the transcript.
	TranscriptTruncated bool

	empty present
	later laterNames
}

// laterNames are the names of codes of a later version.
type laterNames struct{ era, next, discoverOutcome, initializeOutcome string }

func verdict(v *C.mcpd_verdict) *Verdict {
	verdict := &Verdict{
		Era:                 Era(v.era),
		Next:                Next(v.next),
		Version:             text(v.version),
		Confirmed:           v.confirmed != 0,
		Storable:            v.storable != 0,
		DiscoverOutcome:     Outcome(v.discover_outcome),
		InitializeOutcome:   Outcome(v.initialize_outcome),
		Summary:             text(v.summary),
		Server:              implementation(v.server),
		Capabilities:        capabilities(v.capabilities),
		Instructions:        text(v.instructions),
		SupportedVersions:   texts(v.supported_versions, v.supported_versions_count),
		Discover:            discoverResult(v.discover),
		Initialize:          initializeResult(v.initialize),
		DiscoverError:       rpcError(v.discover_error),
		InitializeError:     rpcError(v.initialize_error),
		Remarks:             remarks(v.remarks, v.remarks_count),
		Processes:           processes(v.processes, v.processes_count),
		Elapsed:             milliseconds(float64(v.elapsed_ms)),
		Transcript:          transcript(v.transcript, v.transcript_count),
		TranscriptTruncated: v.transcript_truncated != 0,
	}
	verdict.empty.note(0, v.instructions)
	if v.has_received_at_ms != 0 {
		verdict.ReceivedAt = time.UnixMilli(int64(v.received_at_ms)).UTC()
	}
	if v.has_reply_ms != 0 {
		verdict.Replied = milliseconds(float64(v.reply_ms))
	}
	return verdict
}

// FreshAt tells whether what the server said in its DiscoverResult is still fresh at a time: its capabilities, its
// instructions. It is until [DiscoverResult.TTL] has passed since ReceivedAt. A result without a TTL is never fresh,
// and neither is any other verdict, nor one from the future, which means that the clock was set back. How to speak to
// the server can be known for longer: see Storable.
func (v *Verdict) FreshAt(now time.Time) bool {
	if v.ReceivedAt.IsZero() || v.Discover == nil || !v.Discover.HasTTL {
		return false
	}
	age := now.Sub(v.ReceivedAt)
	return age >= 0 && age < v.Discover.TTL()
}

func processes(first **C.mcpd_process, count C.size_t) []Process {
	all := make([]Process, count)
	for i, p := range unsafe.Slice(first, count) {
		all[i] = Process{
			ExitKind:      ExitKind(p.exit_kind),
			ExitValue:     int(p.exit_value),
			Shutdown:      Shutdown(p.shutdown),
			BytesReceived: uint64(p.bytes_received),
			SkippedLines:  uint64(p.skipped_lines),
			SkippedSample: texts(p.skipped_sample, p.skipped_sample_count),
			StderrTail:    text(p.stderr_tail),
		}
	}
	return all
}

func transcript(first **C.mcpd_transcript_entry, count C.size_t) []TranscriptEntry {
	if count == 0 {
		return nil
	}
	all := make([]TranscriptEntry, count)
	for i, entry := range unsafe.Slice(first, count) {
		all[i] = TranscriptEntry{
			At:        milliseconds(float64(entry.at_ms)),
			Process:   int(entry.process),
			Direction: Direction(entry.direction),
			Data:      append([]byte{}, unsafe.Slice((*byte)(entry.data), entry.length)...),
		}
	}
	return all
}

// milliseconds makes a duration of them, to the nanosecond.
func milliseconds(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// libraryJSON is the verdict as the library itself writes it: what the tests hold ours against.
func libraryJSON(v *C.mcpd_verdict) json.RawMessage {
	var t *C.mcpd_text
	if C.mcpd_verdict_to_json(v, &t, nil) != C.MCPD_OK {
		return nil
	}
	defer C.mcpd_text_free(t)
	return raw(t.text)
}
