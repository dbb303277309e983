package mcpdiscover

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// everyRune is all of Unicode, from a character on.
func everyRune(first rune) string {
	var all strings.Builder
	for r := first; r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all.WriteRune(r)
		}
	}
	return all.String()
}

func TestEveryRuneComesOut(t *testing.T) {
	all := everyRune(0)
	message := must(json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "result": map[string]any{
			"supportedVersions": []string{"2026-07-28", all},
			"instructions":      all,
			"_meta":             map[string]any{"io.modelcontextprotocol/serverInfo": map[string]any{"name": all, "version": "a\x00b"}},
		},
	}))
	reply, err := ParseReply(message, nil)
	if err != nil {
		t.Fatal(err)
	}
	result := reply.Discover
	if result.Instructions != all || result.Server.Name != all || result.SupportedVersions[1] != all {
		t.Error("a text was changed")
	}
	if result.Server.Version != "a\x00b" {
		t.Errorf("got %q", result.Server.Version)
	}
	var again struct{ Instructions string }
	if err := json.Unmarshal(result.JSON, &again); err != nil || again.Instructions != all {
		t.Errorf("the JSON was changed: %v", err)
	}
}

func TestEveryRuneGoesIn(t *testing.T) {
	all := everyRune(1)
	line, err := BuildRequest(&RequestOptions{
		ID:     StringID(all),
		Client: &Implementation{Name: all, Version: "1", Icons: []Icon{{Src: all}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		ID     string
		Params struct {
			Meta struct {
				Client struct {
					Name  string
					Icons []struct{ Src string }
				} `json:"io.modelcontextprotocol/clientInfo"`
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal(line, &request); err != nil {
		t.Fatal(err)
	}
	client := request.Params.Meta.Client
	if request.ID != all || client.Name != all || client.Icons[0].Src != all {
		t.Error("a text was changed")
	}
	result := `{"jsonrpc":"2.0","id":` + string(must(json.Marshal(all))) + `,"result":{"supportedVersions":["2026-07-28"]}}`
	if reply, err := ParseReply([]byte(result), &ReplyOptions{ID: StringID(all)}); err != nil || reply.Kind != ReplyDiscover {
		t.Errorf("got %v, %v", reply, err)
	}
}

// TestBytesGoIn passes what is no UTF-8 where the system takes bytes.
func TestBytesGoIn(t *testing.T) {
	every := make([]byte, 255)
	for i := range every {
		every[i] = byte(i + 1)
	}
	folder := filepath.Join(t.TempDir(), "\xff\xfe é")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	command := NewCommand("/bin/sh", "-c", `printf %s "$1" > argument; printf %s "$VARIABLE" > variable`, "sh", string(every))
	command.Env = []string{"VARIABLE=" + string(every)}
	command.Dir = folder
	if _, err := Probe(context.Background(), command, WithMaxStarts(1)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"argument", "variable"} {
		if got := must(os.ReadFile(filepath.Join(folder, name))); string(got) != string(every) {
			t.Errorf("the %s was %q", name, got)
		}
	}
}

// TestNoNULGoesIn checks that no text is cut at a NUL on its way to C.
func TestNoNULGoesIn(t *testing.T) {
	ctx, bad := context.Background(), "ab\x00c"
	command := NewCommand("true")
	withCommand := func(change func(*Command)) error {
		c := NewCommand("true")
		change(c)
		_, err := Probe(ctx, c)
		return err
	}
	with := func(options ...Option) error { _, err := Probe(ctx, command, options...); return err }
	build := func(options RequestOptions) error { _, err := BuildRequest(&options); return err }
	client := Implementation{Name: "n", Version: "1"}
	titled, described, linked := client, client, client
	titled.Title, described.Description, linked.WebsiteURL = bad, bad, bad
	for argument, err := range map[string]error{
		"argv[1]":                  withCommand(func(c *Command) { c.Args = []string{"true", bad} }),
		"env[0]":                   withCommand(func(c *Command) { c.Env = []string{bad} }),
		"cwd":                      withCommand(func(c *Command) { c.Dir = bad }),
		"modern_versions[0]":       with(WithModernVersions(bad)),
		"legacy_versions[1]":       with(WithLegacyVersions("2025-11-25", bad)),
		"client_name":              with(WithClient(Implementation{Name: bad})),
		"client_version":           with(WithClient(Implementation{Name: "n", Version: bad})),
		"client_title":             with(WithClient(titled)),
		"client_description":       with(WithClient(described)),
		"client_website_url":       build(RequestOptions{Client: &linked}),
		"client_capabilities_json": with(WithCapabilities(json.RawMessage(bad))),
		"id_string":                build(RequestOptions{ID: StringID(bad)}),
		"protocol_version":         build(RequestOptions{ProtocolVersion: bad}),
		"log_level":                build(RequestOptions{LogLevel: bad}),
		"meta_json":                build(RequestOptions{Meta: json.RawMessage(bad)}),
	} {
		var failure *Error
		if !errors.As(err, &failure) || !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("%s: got %v", argument, err)
		} else if failure.Argument != argument || failure.Offset != 2 || !strings.HasPrefix(failure.Message, argument) {
			t.Errorf("%s: got %+v", argument, failure)
		}
	}
	if _, err := ParseReply([]byte(`{}`), &ReplyOptions{ID: StringID(bad)}); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
	if _, err := SelectVersion([]string{bad}, nil, nil); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
}

func TestPrintable(t *testing.T) {
	for in, expected := range map[string]string{
		"":                      "",
		"plain é 😀":             "plain é 😀",
		"\x1b[31mred\n":         `\x1b[31mred\n`,
		"a\x00b":                `a\x00b`,
		"\u202egnp.exe":         `\u202egnp.exe`,
		"\xff":                  "\ufffd",
		strings.Repeat("x", 99): strings.Repeat("x", 99),
	} {
		if got := Printable(in); got != expected {
			t.Errorf("%q: got %q, expected %q", in, got, expected)
		}
	}
}
