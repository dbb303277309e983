package mcpdiscover

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseReply(t *testing.T) {
	const info = `{"name":"n","version":"1","title":"t","description":"d","websiteUrl":"https://example.com",` +
		`"icons":[{"src":"data:,","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},{"src":"b"}]}`
	const caps = `{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},` +
		`"extensions":{"com.example/a":{"x":1}},"experimental":{"y":{}},"unknown":1.0}`
	const meta = `{"io.modelcontextprotocol/serverInfo":` + info + `}`
	const result = `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":` + caps +
		`,"_meta":` + meta + `,"instructions":"Ask.","ttlMs":60000,"cacheScope":"public"}`
	const message = `{"jsonrpc":"2.0","id":7,"result":` + result + `}`
	reply, err := ParseReply([]byte(message+"\r\n"), &ReplyOptions{ID: IntegerID(7)})
	if err != nil {
		t.Fatal(err)
	}
	expected := &Reply{
		Kind: ReplyDiscover,
		JSON: json.RawMessage(message),
		Discover: &DiscoverResult{
			ResultType:        "complete",
			SupportedVersions: []string{"2026-07-28", "2025-11-25"},
			Capabilities: &ServerCapabilities{
				Tools: true, ToolsListChanged: true, Resources: true, ResourcesSubscribe: true, Logging: true,
				Extensions:   map[string]json.RawMessage{"com.example/a": json.RawMessage(`{"x":1}`)},
				Experimental: map[string]json.RawMessage{"y": json.RawMessage(`{}`)},
				JSON:         json.RawMessage(caps),
			},
			Server: &Implementation{
				Name: "n", Version: "1", Title: "t", Description: "d", WebsiteURL: "https://example.com",
				Icons: []Icon{
					{Src: "data:,", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"},
					{Src: "b"},
				},
			},
			Instructions:  "Ask.",
			TTLMs:         60000,
			HasTTL:        true,
			CacheScope:    CacheScopePublic,
			HasCacheScope: true,
			Meta:          json.RawMessage(meta),
			JSON:          json.RawMessage(result),
		},
	}
	if !reflect.DeepEqual(reply.Discover, expected.Discover) {
		t.Errorf("got %+v, expected %+v", reply.Discover, expected.Discover)
	}
	if reply.Discover.TTL() != time.Minute {
		t.Errorf("fresh for %v", reply.Discover.TTL())
	}
	for _, remark := range reply.Remarks {
		if remark.Code != RemarkCRLF {
			t.Errorf("unexpected: %v", remark)
		}
	}
}

func TestParseReplyKinds(t *testing.T) {
	for _, c := range []struct {
		message string
		options *ReplyOptions
		kind    ReplyKind
	}{
		{`{"jsonrpc":"2.0","id":"1","result":{"supportedVersions":["x"]}}`, nil, ReplyDiscover},
		{`{"jsonrpc":"2.0","id":"1","result":{"supportedVersions":["x"]}}`, &ReplyOptions{ID: IntegerID(1)}, ReplyUnrelated},
		{`{"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["x"]}}`, &ReplyOptions{ID: IntegerID(0)}, ReplyDiscover},
		{`{"jsonrpc":"2.0","id":"","result":{"supportedVersions":["x"]}}`, &ReplyOptions{ID: StringID("")}, ReplyDiscover},
		{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"x"}}`, &ReplyOptions{Method: MethodInitialize}, ReplyInitialize},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, nil, ReplyRPCError},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, ReplyUnusable},
		{`{"jsonrpc":"2.0","method":"ping","id":1}`, nil, ReplyUnrelated},
	} {
		reply, err := ParseReply([]byte(c.message), c.options)
		if err != nil || reply.Kind != c.kind {
			t.Errorf("%s: got %+v, %v; expected %v", c.message, reply, err, c.kind)
			continue
		}
		if (reply.Discover != nil) != (c.kind == ReplyDiscover) || (reply.Initialize != nil) != (c.kind == ReplyInitialize) ||
			(reply.Error != nil) != (c.kind == ReplyRPCError) {
			t.Errorf("%s: got %+v", c.message, reply)
		}
		if string(reply.JSON) != c.message {
			t.Errorf("got the JSON %s of %s", reply.JSON, c.message)
		}
	}
}

func TestParseReplyError(t *testing.T) {
	reply := must(ParseReply([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":`+
		`{"supported":["2026-10-01"],"requested":"2026-07-28"}}}`), nil))
	e := reply.Error
	if e.Code != RPCUnsupportedProtocolVersion || e.Message != "no" || e.Requested != "2026-07-28" ||
		!reflect.DeepEqual(e.Supported, []string{"2026-10-01"}) {
		t.Errorf("got %+v", e)
	}
	reply = must(ParseReply([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"no","data":`+
		`{"requiredCapabilities":{"sampling":{}}}}}`), nil))
	if e := reply.Error; e.Code != RPCMissingRequiredClientCapability || string(e.RequiredCapabilities) != `{"sampling":{}}` {
		t.Errorf("got %+v", e)
	}
}

func TestParseReplyRefuses(t *testing.T) {
	for message, offset := range map[string]int64{"": 0, "{": 1, `{"a":nul}`: 5, strings.Repeat("[", 5000): 128} {
		_, err := ParseReply([]byte(message), nil)
		var failure *Error
		if !errors.Is(err, ErrInvalidJSON) || !errors.As(err, &failure) {
			t.Errorf("%.20q: got %v", message, err)
		} else if diff := failure.Offset - offset; diff < 0 || diff > 3 {
			t.Errorf("%.20q: at %d, expected about %d", message, failure.Offset, offset)
		}
	}
	if _, err := ParseReply(nil, nil); !errors.Is(err, ErrInvalidJSON) {
		t.Errorf("got %v", err)
	}
	if _, err := ParseReply([]byte(`{}`), &ReplyOptions{Method: 99}); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
	if _, err := ParseReply([]byte(`{}`), &ReplyOptions{ID: StringID("\xff")}); !errors.Is(err, ErrInvalidUTF8) {
		t.Errorf("got %v", err)
	}
}

func TestTTLIsBounded(t *testing.T) {
	for ms, expected := range map[int64]time.Duration{0: 0, 1500: 1500 * time.Millisecond, math.MaxInt64: math.MaxInt64} {
		if got := (&DiscoverResult{TTLMs: ms}).TTL(); got != expected {
			t.Errorf("%d ms: got %v", ms, got)
		}
	}
}

// TestParseReplyAllocatesLittle counts the allocations of a usual reply: its texts and structs, and nothing on the way.
func TestParseReplyAllocatesLittle(t *testing.T) {
	message := []byte(`{"jsonrpc":"2.0","id":"discover-1","result":{"resultType":"complete","supportedVersions":["2026-07-28"],` +
		`"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}},` +
		`"ttlMs":0,"cacheScope":"private"}}`)
	if allocations := testing.AllocsPerRun(100, func() { must(ParseReply(message, nil)) }); allocations > 16 {
		t.Errorf("%v allocations", allocations)
	}
}
