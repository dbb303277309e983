package mcpdiscover

// #include <mcp_discover.h>
import "C"

import (
	"strconv"
	"sync"
)

// names translates between the codes of a type and their names.
type names struct {
	kind string
	load func() ([]string, map[string]int32)
}

// Codes are small numbers, given out one after the other.
const codesToTry = 256

// fromLibrary makes the names that the library gives, those of codes that came after this package included.
func fromLibrary(kind string, nameOf func(C.int32_t) *C.char) names {
	return names{kind, sync.OnceValues(func() ([]string, map[string]int32) {
		none := C.GoString(nameOf(Unrecognized))
		var byCode []string
		byName := map[string]int32{}
		for code := range int32(codesToTry) {
			name := C.GoString(nameOf(C.int32_t(code)))
			if name == none {
				continue
			}
			for len(byCode) <= int(code) {
				byCode = append(byCode, "")
			}
			byCode[code], byName[name] = name, code
		}
		return byCode, byName
	})}
}

// fixed makes names that the library does not know: they stand in JSON only, or nowhere.
func fixed(kind string, byCode ...string) names {
	byName := map[string]int32{}
	for code, name := range byCode {
		byName[name] = int32(code)
	}
	return names{kind, func() ([]string, map[string]int32) { return byCode, byName }}
}

// name is the name of a code, and such as "Era(7)" where there is none.
func (n names) name(code int32) string {
	if byCode, _ := n.load(); code >= 0 && int(code) < len(byCode) && byCode[code] != "" {
		return byCode[code]
	}
	return n.kind + "(" + strconv.Itoa(int(code)) + ")"
}

func (n names) code(name string) int32 {
	_, byName := n.load()
	if code, ok := byName[name]; ok {
		return code
	}
	return Unrecognized
}

var (
	statusNames     = fromLibrary("Status", func(n C.int32_t) *C.char { return C.mcpd_status_name(n) })
	eraNames        = fromLibrary("Era", func(n C.int32_t) *C.char { return C.mcpd_era_name(n) })
	cacheScopeNames = fromLibrary("CacheScope", func(n C.int32_t) *C.char { return C.mcpd_cache_scope_name(n) })
	nextNames       = fromLibrary("Next", func(n C.int32_t) *C.char { return C.mcpd_next_name(n) })
	outcomeNames    = fromLibrary("Outcome", func(n C.int32_t) *C.char { return C.mcpd_outcome_name(n) })
	shutdownNames   = fromLibrary("Shutdown", func(n C.int32_t) *C.char { return C.mcpd_shutdown_name(n) })
	replyKindNames  = fromLibrary("ReplyKind", func(n C.int32_t) *C.char { return C.mcpd_reply_kind_name(n) })
	stepNames       = fromLibrary("Step", func(n C.int32_t) *C.char { return C.mcpd_step_name(n) })
	remarkNames     = fromLibrary("RemarkCode", func(n C.int32_t) *C.char { return C.mcpd_remark_name(n) })

	methodNames     = fixed("Method", "server/discover", "initialize")
	exitKindNames   = fixed("ExitKind", "unknown", "code", "signal")
	directionNames  = fixed("Direction", "to_server", "from_server")
	fallbackNames   = fixed("Fallback", "initialize", "none")
	stderrModeNames = fixed("StderrMode", "capture", "inherit", "discard")
)

// String gives the name of the status, such as "command_not_found".
func (s Status) String() string { return statusNames.name(int32(s)) }

// String gives the name of the era, such as "modern".
func (e Era) String() string { return eraNames.name(int32(e)) }

// String gives the name of the method, as it stands in a request.
func (m Method) String() string { return methodNames.name(int32(m)) }

// String gives the name of the scope, such as "private".
func (s CacheScope) String() string { return cacheScopeNames.name(int32(s)) }

// String gives the name of the step, such as "use_modern".
func (n Next) String() string { return nextNames.name(int32(n)) }

// String gives the name of the outcome, such as "not_asked".
func (o Outcome) String() string { return outcomeNames.name(int32(o)) }

// String gives the name of the kind, such as "signal".
func (k ExitKind) String() string { return exitKindNames.name(int32(k)) }

// String gives the name of the shutdown, such as "stdin_closed".
func (s Shutdown) String() string { return shutdownNames.name(int32(s)) }

// String gives the name of the kind, such as "rpc_error".
func (k ReplyKind) String() string { return replyKindNames.name(int32(k)) }

// String gives the name of the step, such as "send".
func (s Step) String() string { return stepNames.name(int32(s)) }

// String gives the name of the fallback, such as "initialize".
func (f Fallback) String() string { return fallbackNames.name(int32(f)) }

// String gives the name of the mode, such as "capture".
func (m StderrMode) String() string { return stderrModeNames.name(int32(m)) }

// String gives the name of the direction, such as "to_server".
func (d Direction) String() string { return directionNames.name(int32(d)) }

// String gives the name of the code, such as "missing_ttl".
func (c RemarkCode) String() string { return remarkNames.name(int32(c)) }

// Sentence says what the code means, as one English sentence. A remark's own text may say more.
func (c RemarkCode) Sentence() string {
	return C.GoString(C.mcpd_remark_sentence(C.mcpd_remark_code(c)))
}

// MarshalText gives the name, so that the JSON of any struct with an era in it reads well.
func (e Era) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText takes a name; one of a later version becomes [Unrecognized].
func (e *Era) UnmarshalText(text []byte) error { *e = Era(eraNames.code(string(text))); return nil }

// MarshalText gives the name.
func (n Next) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText takes a name; one of a later version becomes [Unrecognized].
func (n *Next) UnmarshalText(text []byte) error { *n = Next(nextNames.code(string(text))); return nil }

// MarshalText gives the name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText takes a name; one of a later version becomes [Unrecognized].
func (o *Outcome) UnmarshalText(text []byte) error {
	*o = Outcome(outcomeNames.code(string(text)))
	return nil
}

// MarshalText gives the name.
func (s Shutdown) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes a name; one of a later version becomes [Unrecognized].
func (s *Shutdown) UnmarshalText(text []byte) error {
	*s = Shutdown(shutdownNames.code(string(text)))
	return nil
}

// MarshalText gives the name.
func (c RemarkCode) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText takes a name; one of a later version becomes [Unrecognized].
func (c *RemarkCode) UnmarshalText(text []byte) error {
	*c = RemarkCode(remarkNames.code(string(text)))
	return nil
}

// MarshalText gives the name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes a name; one of a later version becomes [Unrecognized].
func (s *Status) UnmarshalText(text []byte) error {
	*s = Status(statusNames.code(string(text)))
	return nil
}
