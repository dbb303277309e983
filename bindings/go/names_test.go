package mcpdiscover

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		code fmt.Stringer
		name string
	}{
		{StatusOK, "ok"},
		{StatusCommandNotFound, "command_not_found"},
		{EraModern, "modern"},
		{MethodDiscover, "server/discover"},
		{CacheScopePublic, "public"},
		{NextUseModern, "use_modern"},
		{OutcomeStdoutClosed, "stdout_closed"},
		{ExitSignal, "signal"},
		{ShutdownStdinClosed, "stdin_closed"},
		{ReplyRPCError, "rpc_error"},
		{FallbackNone, "none"},
		{StderrDiscard, "discard"},
		{DirectionFromServer, "from_server"},
		{RemarkMissingTTL, "missing_ttl"},
		{RemarkStderrTruncated, "stderr_truncated"},
		{Era(7), "Era(7)"},
		{Era(-1), "Era(-1)"},
		{Status(999), "Status(999)"},
		{RemarkCode(0), "RemarkCode(0)"},
		{ExitKind(-1 << 31), "ExitKind(-2147483648)"},
		{Direction(1<<31 - 1), "Direction(2147483647)"},
	} {
		if got := c.code.String(); got != c.name {
			t.Errorf("got %q, expected %q", got, c.name)
		}
	}
	if s := RemarkMissingTTL.Sentence(); !strings.Contains(s, "ttlMs") {
		t.Errorf("the sentence is %q", s)
	}
}

func TestNamesAsText(t *testing.T) {
	type codes struct {
		Era      Era
		Next     Next
		Outcome  Outcome
		Shutdown Shutdown
		Remark   RemarkCode
		Status   Status
	}
	written := codes{EraLegacy, NextInitialize, OutcomeSilence, ShutdownKilled, RemarkNoise, StatusCancelled}
	encoded := must(json.Marshal(written))
	expected := `{"Era":"legacy","Next":"initialize","Outcome":"silence","Shutdown":"killed","Remark":"noise","Status":"cancelled"}`
	if string(encoded) != expected {
		t.Errorf("got %s, expected %s", encoded, expected)
	}
	var read codes
	if err := json.Unmarshal(encoded, &read); err != nil || read != written {
		t.Errorf("got %+v, %v", read, err)
	}
	if err := json.Unmarshal([]byte(`{"Era":"postmodern"}`), &read); err != nil || read.Era != Unrecognized {
		t.Errorf("got %v, %v", read.Era, err)
	}
}
