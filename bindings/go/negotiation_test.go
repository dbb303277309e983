package mcpdiscover

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

const (
	modernAnswer = `{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],"ttlMs":60000}}` + "\n"
	legacyAnswer = `{"jsonrpc":"2.0","id":"initialize-1","result":{"protocolVersion":"2025-11-25"}}` + "\n"
)

// byHand is a negotiation whose clock stands still between the calls.
type byHand struct {
	*Negotiation
	t     *testing.T
	clock time.Time
}

func negotiateByHand(t *testing.T, options ...Option) *byHand {
	n := &byHand{Negotiation: must(NewNegotiation(options...)), t: t}
	n.clock = n.began
	n.now = func() time.Time { return n.clock }
	t.Cleanup(n.Close)
	return n
}

func (n *byHand) expect(step Step) {
	n.t.Helper()
	if got, err := n.Next(); got != step || err != nil {
		n.t.Fatalf("the step is %v, %v; expected %v", got, err, step)
	}
}

func (n *byHand) sends(method string) {
	n.t.Helper()
	n.expect(StepSend)
	var request struct{ Method string }
	if err := json.Unmarshal(n.Line(), &request); err != nil || request.Method != method || !strings.HasSuffix(string(n.Line()), "}\n") {
		n.t.Fatalf("expected %s, got %q, %v", method, n.Line(), err)
	}
}

func (n *byHand) do(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *byHand) finish() *Verdict {
	n.t.Helper()
	n.expect(StepClose)
	n.do(n.Closed(OutcomeStdoutClosed))
	n.expect(StepFinish)
	return must(n.Verdict())
}

func TestNegotiation(t *testing.T) {
	n := negotiateByHand(t, WithTimeout(10*time.Second))
	n.expect(StepStart)
	n.do(n.Started())
	n.sends("server/discover")
	n.expect(StepWait)
	if left := n.Deadline().Sub(n.clock); left != 5*time.Second || n.Line() != nil {
		t.Errorf("%v are left, with the line %q", left, n.Line())
	}
	n.clock = n.clock.Add(250 * time.Millisecond)
	n.do(n.Received(nil))
	n.do(n.Received([]byte("noise\n" + modernAnswer[:20])))
	n.expect(StepWait)
	n.do(n.Received([]byte(modernAnswer[20:])))
	v := n.finish()
	if v.Era != EraModern || !v.Storable || !v.FreshAt(time.Now()) || v.Replied != 250*time.Millisecond || len(v.Processes) != 1 {
		t.Errorf("got %+v", v)
	}
}

func TestNegotiationStartsAgainAndHearsLateAnswers(t *testing.T) {
	n := negotiateByHand(t, WithDiscoverTimeout(time.Second))
	n.do(n.Started())
	n.sends("server/discover")
	n.expect(StepWait)
	n.clock = n.clock.Add(time.Second)
	n.sends("initialize")
	n.do(n.Closed(OutcomeExit))
	n.expect(StepStart)
	n.do(n.Started())
	n.sends("initialize")
	n.do(n.ReceivedMessage([]byte(strings.ReplaceAll(strings.Replace(legacyAnswer, "-1", "-2", 1), ",", ",\n"))))
	v := n.finish()
	if v.Era != EraLegacy || v.DiscoverOutcome != OutcomeSilence || v.InitializeOutcome != OutcomeResult || len(v.Processes) != 2 {
		t.Errorf("got %+v", v)
	}

	n = negotiateByHand(t)
	n.do(n.Started())
	n.sends("server/discover")
	n.clock = n.clock.Add(5 * time.Second)
	n.sends("initialize")
	n.do(n.Received([]byte(legacyAnswer)))
	n.expect(StepClose)
	n.do(n.Received([]byte(modernAnswer)))
	if v := n.finish(); v.Era != EraModern {
		t.Errorf("got %+v", v)
	}
}

func TestNegotiationOutOfOrder(t *testing.T) {
	if _, err := NewNegotiation(WithMaxStarts(101)); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
	if _, err := NewNegotiation(WithModernVersions("a\x00b")); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
	n := negotiateByHand(t)
	refused := func(err error, problem string) {
		t.Helper()
		if !errors.Is(err, ErrInvalidArgument) || !strings.Contains(err.Error(), problem) {
			t.Errorf("expected %q, got %v", problem, err)
		}
	}
	refused(n.Received([]byte("x")), "has no server")
	refused(n.ReceivedMessage([]byte("x")), "has no server")
	refused(n.Closed(OutcomeExit), "has no server")
	n.do(n.Started())
	refused(n.Started(), "MCPD_STEP_START")
	refused(n.Closed(OutcomeResult), "how")
	if v, err := n.Verdict(); err != nil || v.Era != EraUnknown {
		t.Errorf("got %+v, %v", v, err)
	}
	_, err := n.Verdict()
	refused(err, "has given its verdict")
	_, err = n.Next()
	refused(err, "has given its verdict")
	n.Close()
	n.Close()
	_, err = n.Next()
	refused(err, "is NULL")
	refused(n.Received(nil), "is NULL")
	if n.Line() != nil || !n.Deadline().IsZero() {
		t.Error("a closed negotiation wants something")
	}
}
