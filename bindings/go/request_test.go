package mcpdiscover

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestBuildRequest(t *testing.T) {
	for _, c := range []struct {
		options *RequestOptions
		parts   []string
	}{
		{nil, []string{`"id":"discover-1"`, `"method":"server/discover"`, `"name":"mcp-discover"`}},
		{&RequestOptions{Method: MethodInitialize}, []string{`"id":"initialize-1"`, `"method":"initialize"`}},
		{&RequestOptions{ID: IntegerID(0)}, []string{`"id":0`}},
		{&RequestOptions{ID: IntegerID(-1 << 63)}, []string{`"id":-9223372036854775808`}},
		{&RequestOptions{ID: StringID("")}, []string{`"id":""`}},
		{&RequestOptions{ID: StringID("a\nb")}, []string{`"id":"a\nb"`}},
		{&RequestOptions{ProtocolVersion: "2026-10-01"}, []string{`"2026-10-01"`}},
		{&RequestOptions{LogLevel: "info"}, []string{`"info"`}},
		{&RequestOptions{Meta: json.RawMessage(`{"progressToken":7}`)}, []string{`"progressToken":7`}},
		{&RequestOptions{Capabilities: json.RawMessage(`{"sampling":{}}`)}, []string{`{"sampling":{}}`}},
		{
			&RequestOptions{Client: &Implementation{
				Name: "host", Version: "2", Title: "Host", Description: "Hosts.", WebsiteURL: "https://example.com",
				Icons: []Icon{{Src: "data:,", MIMEType: "image/png", Sizes: []string{"any"}, Theme: "dark"}},
			}},
			[]string{`"name":"host"`, `"version":"2"`, `"title":"Host"`, `"description":"Hosts."`, `"websiteUrl":"https://example.com"`,
				`{"src":"data:,","mimeType":"image/png","sizes":["any"],"theme":"dark"}`},
		},
	} {
		line, err := BuildRequest(c.options)
		if err != nil {
			t.Errorf("%+v: %v", c.options, err)
			continue
		}
		if !json.Valid(line) || strings.ContainsAny(string(line), "\r\n") {
			t.Errorf("%s is no line of JSON", line)
		}
		for _, part := range c.parts {
			if !strings.Contains(string(line), part) {
				t.Errorf("%s lacks %s", line, part)
			}
		}
	}
}

func TestBuildRequestRefuses(t *testing.T) {
	for _, c := range []struct {
		options  RequestOptions
		is       error
		argument string
	}{
		{RequestOptions{Method: 99}, ErrInvalidArgument, "method"},
		{RequestOptions{ProtocolVersion: "2025-11-25"}, ErrInvalidArgument, "protocol_version"},
		{RequestOptions{LogLevel: "loud"}, ErrInvalidArgument, "log_level"},
		{RequestOptions{Capabilities: json.RawMessage(`{`)}, ErrInvalidJSON, "client_capabilities_json"},
		{RequestOptions{Meta: json.RawMessage(`[]`)}, ErrInvalidArgument, "meta_json"},
		{RequestOptions{Client: &Implementation{Name: "\xff", Version: "1"}}, ErrInvalidUTF8, "client_name"},
	} {
		_, err := BuildRequest(&c.options)
		var failure *Error
		if !errors.Is(err, c.is) || !errors.As(err, &failure) || failure.Argument != c.argument {
			t.Errorf("%+v: got %v", c.options, err)
		}
	}
}

func TestVersions(t *testing.T) {
	if got := ModernVersions(); !reflect.DeepEqual(got, []string{"2026-07-28"}) {
		t.Errorf("got %v", got)
	}
	if got := LegacyVersions(); len(got) != 4 || got[0] != "2025-11-25" || got[3] != "2024-11-05" {
		t.Errorf("got %v", got)
	}
	for version, era := range map[string]Era{
		"2026-07-28": EraModern, "2025-11-25": EraLegacy, "2024-11-05": EraLegacy, "2025-11-26": EraModern,
		"DRAFT": EraModern, "": EraModern, "2025-11-25\x00": EraModern,
	} {
		if got := VersionEra(version); got != era {
			t.Errorf("%q: got %v, expected %v", version, got, era)
		}
	}
	for _, c := range []struct {
		modern, legacy, named []string
		version               string
	}{
		{nil, nil, []string{"2024-11-05", "2025-11-25", "2026-07-28"}, "2026-07-28"},
		{[]string{}, nil, []string{"2024-11-05", "2025-11-25", "2026-07-28"}, "2025-11-25"},
		{nil, []string{}, []string{"2025-11-25"}, ""},
		{[]string{"b", "a"}, nil, []string{"a", "", "b"}, "b"},
		{nil, nil, nil, ""},
		{nil, nil, []string{"2026-07-28\x00"}, ""},
	} {
		if got, err := SelectVersion(c.modern, c.legacy, c.named); err != nil || got != c.version {
			t.Errorf("%v: got %q, %v", c, got, err)
		}
	}
	if _, err := SelectVersion([]string{"2025-11-25"}, nil, nil); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
}
