package mcpdiscover

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// stored is a verdict as the library writes it, with what later versions might add.
const stored = `{"schema":1,"era":"postmodern","next":"ask_again","version":"2026-07-28","confirmed":true,"storable":true,` +
	`"summary":"Because.","discoverOutcome":"result","initializeOutcome":"deferred","receivedAt":1796000000000,` +
	`"supportedVersions":["2026-07-28"],"server":{"name":"","version":null,"title":"","mood":"good"},` +
	`"capabilities":{"tools":{},"n":1e400},"instructions":"","ttlMs":9223372036854775807,"cacheScope":"public",` +
	`"discover":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"n":1e400},"instructions":"",` +
	`"ttlMs":1e21,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"","title":""}}},` +
	`"initialize":null,"discoverError":{"code":0,"message":"boom","data":null},"initializeError":null,` +
	`"remarks":[{"code":"missing_ttl","text":"No ttl."},{"code":"too_slow","text":"Too slow."}],` +
	`"processes":[{"exit":{"signal":9},"shutdown":"vaporized","bytesReceived":412,"skippedLines":1,"skippedSample":["x"],` +
	`"stderrTail":"bye\u0085"},{"exit":{"oom":true},"shutdown":null,"bytesReceived":0,"skippedLines":0,"skippedSample":[],` +
	`"stderrTail":""}],"timing":{"elapsedMs":12.3,"replyMs":9.8},"weather":{"sunny":true}}`

func TestVerdictOfALaterVersion(t *testing.T) {
	var v Verdict
	if err := json.Unmarshal([]byte(stored), &v); err != nil {
		t.Fatal(err)
	}
	if v.Era != Unrecognized || v.Next != Unrecognized || v.InitializeOutcome != Unrecognized ||
		v.Remarks[1].Code != Unrecognized || v.Processes[0].Shutdown != Unrecognized {
		t.Errorf("got %+v", v)
	}
	if v.DiscoverOutcome != OutcomeResult || v.Remarks[0].Code != RemarkMissingTTL || v.Processes[0].ExitKind != ExitSignal ||
		v.Processes[0].ExitValue != 9 || v.Processes[1].ExitKind != ExitUnknown || v.Processes[1].Shutdown != ShutdownNone {
		t.Errorf("got %+v", v)
	}
	if !v.Capabilities.Tools || !v.Discover.Capabilities.Tools || !v.Discover.HasTTL || v.Discover.CacheScope != CacheScopePublic {
		t.Errorf("got %+v with %+v", v.Discover, v.Capabilities)
	}
	if !v.ReceivedAt.Equal(time.UnixMilli(1796000000000)) || v.Elapsed != 12300*time.Microsecond || v.Replied != 9800*time.Microsecond {
		t.Errorf("at %v, after %v and %v", v.ReceivedAt, v.Elapsed, v.Replied)
	}
	if v.DiscoverError.Message != "boom" {
		t.Errorf("got %+v", v.DiscoverError)
	}

	written := must(v.MarshalJSON())
	// Nobody can act on this era, so nobody should take it from a cache.
	expected := strings.NewReplacer(`"storable":true`, `"storable":false`, `,"mood":"good"`, "", `,"weather":{"sunny":true}`, "", `{"oom":true}`, "null").Replace(stored)
	if string(written) != expected {
		t.Errorf("written again it is\n%s\nand was\n%s", written, expected)
	}
	var again Verdict
	if err := json.Unmarshal(written, &again); err != nil || !reflect.DeepEqual(again, v) {
		t.Errorf("read again it is %+v, %v", again, err)
	}
	// What the program sets counts, whatever the name was.
	v.Era, v.Remarks[1].Code = EraLegacy, RemarkNoise
	if written := string(must(v.MarshalJSON())); !strings.Contains(written, `"era":"legacy"`) || !strings.Contains(written, `"code":"noise"`) {
		t.Errorf("got %s", written)
	}
}

func TestVerdictIsFreshUntilItsTimeHasPassed(t *testing.T) {
	var v Verdict
	if err := json.Unmarshal([]byte(stored), &v); err != nil {
		t.Fatal(err)
	}
	if !v.FreshAt(v.ReceivedAt) || !v.FreshAt(v.ReceivedAt.AddDate(250, 0, 0)) || v.FreshAt(v.ReceivedAt.Add(-1)) {
		t.Errorf("with a lifetime without end: received at %v", v.ReceivedAt)
	}
	v.Discover.TTLMs = 1000
	if !v.FreshAt(v.ReceivedAt.Add(time.Second-1)) || v.FreshAt(v.ReceivedAt.Add(time.Second)) {
		t.Errorf("with a lifetime of a second: received at %v", v.ReceivedAt)
	}
	v.Discover.HasTTL = false
	if v.FreshAt(v.ReceivedAt) || (&Verdict{}).FreshAt(time.Time{}) {
		t.Error("fresh without a lifetime")
	}
}

func TestVerdictThatIsNone(t *testing.T) {
	for _, text := range []string{
		``, `{`, `[]`, `"x"`, `{}`, `{"schema":2}`, `{"schema":"1"}`, `{"schema":1,"era":5}`,
		`{"schema":1,"discover":{}}`, `{"schema":1,"discover":5}`, `{"schema":1,"initialize":[]}`,
	} {
		before := Verdict{Summary: "as it was"}
		v := before
		if err := json.Unmarshal([]byte(text), &v); err == nil || !reflect.DeepEqual(v, before) {
			t.Errorf("%s: got %+v, %v", text, v, err)
		}
	}
	var e *Error
	if err := json.Unmarshal([]byte(`{"schema":1,"era":5}`), &Verdict{}); !errors.As(err, &e) || e.Argument != "json" || e.Offset != 18 {
		t.Errorf("got %v", err)
	}
	v := Verdict{Summary: "as it was"}
	if err := json.Unmarshal([]byte(`null`), &v); err != nil || v.Summary != "as it was" {
		t.Errorf("got %+v, %v", v, err)
	}
	var holder struct{ Verdict *Verdict }
	if err := json.Unmarshal([]byte(`{"Verdict":null}`), &holder); err != nil || holder.Verdict != nil {
		t.Errorf("got %+v, %v", holder, err)
	}
}

func TestVerdictMadeByHand(t *testing.T) {
	v := Verdict{Era: EraModern, DiscoverError: &RPCError{Code: -1, Message: "no", JSON: json.RawMessage(`"no"`)}}
	var read Verdict
	if err := json.Unmarshal(must(json.Marshal(v)), &read); err != nil || read.Era != EraModern || read.DiscoverError.Message != "no" {
		t.Errorf("got %+v, %v", read, err)
	}
	if _, err := json.Marshal(Verdict{Discover: &DiscoverResult{JSON: json.RawMessage(`{`)}}); err == nil {
		t.Error("what is no JSON was written")
	}
}

func TestBytesAsText(t *testing.T) {
	for in, expected := range map[string]string{
		"":               "",
		"é😀\x00":         "é😀\x00",
		"a\xffb":         "a\ufffdb",
		"\xe2\x82":       "\ufffd",
		"\xe2\x82a":      "\ufffda",
		"\xf0\x9f\x98":   "\ufffd",
		"\xed\xa0\x80":   "\ufffd\ufffd\ufffd",
		"\xc0\xaf":       "\ufffd\ufffd",
		"\ufffd\xe2\x82": "\ufffd\ufffd",
	} {
		if got := asText([]byte(in)); got != expected {
			t.Errorf("%q: got %q, expected %q", in, got, expected)
		}
	}
}
