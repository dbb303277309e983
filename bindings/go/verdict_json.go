package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_verdict *verdict; mcpd_error *error; } go_stored;
//
// static go_stored go_verdict_from_json(const char *json, size_t length) {
//     go_stored r = {0};
//     r.status = mcpd_verdict_from_json(json, length, &r.verdict, &r.error);
//     return r;
// }
// #cgo noescape go_verdict_from_json
// #cgo nocallback go_verdict_from_json
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// schema is the version of the JSON form. Members and codes may be added to it; whatever breaks it changes the number.
const schema = 1

// verdictDocument has the members of the JSON form, in its order.
type verdictDocument struct {
	Schema            int                 `json:"schema"`
	Era               string              `json:"era"`
	Next              string              `json:"next"`
	Version           *string             `json:"version"`
	Confirmed         bool                `json:"confirmed"`
	Storable          bool                `json:"storable"`
	Summary           string              `json:"summary"`
	DiscoverOutcome   string              `json:"discoverOutcome"`
	InitializeOutcome string              `json:"initializeOutcome"`
	ReceivedAt        *int64              `json:"receivedAt"`
	SupportedVersions []string            `json:"supportedVersions"`
	Server            *serverDocument     `json:"server"`
	Capabilities      json.RawMessage     `json:"capabilities"`
	Instructions      *string             `json:"instructions"`
	TTLMs             *int64              `json:"ttlMs"`
	CacheScope        *string             `json:"cacheScope"`
	Discover          json.RawMessage     `json:"discover"`
	Initialize        json.RawMessage     `json:"initialize"`
	DiscoverError     json.RawMessage     `json:"discoverError"`
	InitializeError   json.RawMessage     `json:"initializeError"`
	Remarks           []remarkDocument    `json:"remarks"`
	Processes         []processDocument   `json:"processes"`
	Timing            timingDocument      `json:"timing"`
	Transcript        *transcriptDocument `json:"transcript,omitempty"`
}

type serverDocument struct {
	Name        *string        `json:"name"`
	Version     *string        `json:"version"`
	Title       *string        `json:"title,omitempty"`
	Description *string        `json:"description,omitempty"`
	WebsiteURL  *string        `json:"websiteUrl,omitempty"`
	Icons       []iconDocument `json:"icons,omitempty"`
}

type iconDocument struct {
	Src      string   `json:"src"`
	MIMEType *string  `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    *string  `json:"theme,omitempty"`
}

type remarkDocument struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

type processDocument struct {
	Exit          *exitDocument `json:"exit"`
	Shutdown      *string       `json:"shutdown"`
	BytesReceived uint64        `json:"bytesReceived"`
	SkippedLines  uint64        `json:"skippedLines"`
	SkippedSample []string      `json:"skippedSample"`
	StderrTail    string        `json:"stderrTail"`
}

type exitDocument struct {
	Code   *int `json:"code,omitempty"`
	Signal *int `json:"signal,omitempty"`
}

type timingDocument struct {
	ElapsedMs float64  `json:"elapsedMs"`
	ReplyMs   *float64 `json:"replyMs"`
}

type transcriptDocument struct {
	Truncated bool                      `json:"truncated"`
	Entries   []transcriptEntryDocument `json:"entries"`
}

type transcriptEntryDocument struct {
	AtMs      float64 `json:"atMs"`
	Process   int     `json:"process"`
	Direction string  `json:"direction"`
	Text      string  `json:"text"`
}

type errorDocument struct {
	Code    int64           `json:"code"`
	Message *string         `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// MarshalJSON gives the verdict as one line of JSON, in the form that every language of the library has. It holds
// neither the arguments nor the environment of the command.
func (v Verdict) MarshalJSON() ([]byte, error) {
	d := verdictDocument{
		Schema:            schema,
		Era:               nameOr(v.Era, v.later.era),
		Next:              nameOr(v.Next, v.later.next),
		Version:           optional(v.Version, false),
		Confirmed:         v.Confirmed,
		Storable:          v.Storable,
		Summary:           v.Summary,
		DiscoverOutcome:   nameOr(v.DiscoverOutcome, v.later.discoverOutcome),
		InitializeOutcome: nameOr(v.InitializeOutcome, v.later.initializeOutcome),
		SupportedVersions: filled(v.SupportedVersions),
		Instructions:      optional(v.Instructions, v.empty.has(0)),
		DiscoverError:     v.DiscoverError.document(),
		InitializeError:   v.InitializeError.document(),
		Remarks:           make([]remarkDocument, len(v.Remarks)),
		Processes:         make([]processDocument, len(v.Processes)),
		Timing:            timingDocument{ElapsedMs: inMilliseconds(v.Elapsed)},
	}
	if !v.ReceivedAt.IsZero() {
		at := v.ReceivedAt.UnixMilli()
		d.ReceivedAt = &at
	}
	if v.Server != nil {
		server := v.Server.document()
		d.Server = &server
	}
	if v.Capabilities != nil {
		d.Capabilities = v.Capabilities.JSON
	}
	if r := v.Discover; r != nil {
		d.Discover = r.JSON
		if r.HasTTL {
			d.TTLMs = &r.TTLMs
		}
		if r.HasCacheScope {
			scope := r.CacheScope.String()
			d.CacheScope = &scope
		}
	}
	if v.Initialize != nil {
		d.Initialize = v.Initialize.JSON
	}
	for i, r := range v.Remarks {
		d.Remarks[i] = remarkDocument{nameOr(r.Code, r.name), r.Text}
	}
	for i, p := range v.Processes {
		d.Processes[i] = p.document()
	}
	if v.Replied != 0 {
		ms := inMilliseconds(v.Replied)
		d.Timing.ReplyMs = &ms
	}
	if len(v.Transcript) > 0 {
		d.Transcript = &transcriptDocument{Truncated: v.TranscriptTruncated}
		for _, e := range v.Transcript {
			d.Transcript.Entries = append(d.Transcript.Entries, transcriptEntryDocument{
				inMilliseconds(e.At), e.Process, e.Direction.String(), asText(e.Data),
			})
		}
	}
	return oneLine(d)
}

// UnmarshalJSON takes what [Verdict.MarshalJSON] gives, and what the library gives in other languages and later
// versions. Whether the verdict is storable is judged anew: one whose Era or Next is [Unrecognized] is not.
func (v *Verdict) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	kept, err := readVerdict(data)
	if err != nil {
		return err
	}
	defer C.mcpd_verdict_free(kept)
	read := verdict(kept)
	if err := read.nameLater(data); err != nil {
		return err
	}
	*v = *read
	return nil
}

// readVerdict has the library read a verdict, which is to be freed.
func readVerdict(data []byte) (*C.mcpd_verdict, error) {
	if data == nil {
		data = []byte{} // which has an address
	}
	r := C.go_verdict_from_json((*C.char)(unsafe.Pointer(unsafe.SliceData(data))), C.size_t(len(data)))
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	return r.verdict, nil
}

// nameLater keeps the names of codes that are of a later version, for the library gives only those that it knows.
func (v *Verdict) nameLater(data []byte) error {
	var d struct {
		Era, Next, DiscoverOutcome, InitializeOutcome string
		Remarks                                       []struct{ Code string }
		Processes                                     []struct{ Shutdown string }
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("mcpdiscover: verdict: %w", err)
	}
	v.later = laterNames{
		later(v.Era, d.Era), later(v.Next, d.Next),
		later(v.DiscoverOutcome, d.DiscoverOutcome), later(v.InitializeOutcome, d.InitializeOutcome),
	}
	for i, r := range d.Remarks {
		v.Remarks[i].name = later(v.Remarks[i].Code, r.Code)
	}
	for i, p := range d.Processes {
		v.Processes[i].shutdown = later(v.Processes[i].Shutdown, p.Shutdown)
	}
	return nil
}

func (i Icon) document() iconDocument {
	return iconDocument{
		Src:      i.Src,
		MIMEType: optional(i.MIMEType, i.empty.has(mimeTypeText)),
		Sizes:    i.Sizes,
		Theme:    optional(i.Theme, i.empty.has(themeText)),
	}
}

func (i *Implementation) document() serverDocument {
	d := serverDocument{
		Name:        optional(i.Name, i.empty.has(nameText)),
		Version:     optional(i.Version, i.empty.has(versionText)),
		Title:       optional(i.Title, i.empty.has(titleText)),
		Description: optional(i.Description, i.empty.has(descriptionText)),
		WebsiteURL:  optional(i.WebsiteURL, i.empty.has(websiteURLText)),
	}
	for _, icon := range i.Icons {
		d.Icons = append(d.Icons, icon.document())
	}
	return d
}

// document is the error as an object, which is what readers of the JSON form count on; some servers send a bare text.
func (e *RPCError) document() json.RawMessage {
	if e == nil {
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(e.JSON), []byte("{")) {
		return e.JSON
	}
	d := errorDocument{Code: e.Code, Message: optional(e.Message, e.empty.has(0))}
	if d.Message == nil {
		d.Data = e.JSON
	}
	encoded, err := json.Marshal(d)
	if err != nil {
		return e.JSON // whatever is wrong with it will be said where it is written
	}
	return encoded
}

func (p Process) document() processDocument {
	d := processDocument{
		BytesReceived: p.BytesReceived,
		SkippedLines:  p.SkippedLines,
		SkippedSample: filled(p.SkippedSample),
		StderrTail:    p.StderrTail,
	}
	switch p.ExitKind {
	case ExitCode:
		d.Exit = &exitDocument{Code: &p.ExitValue}
	case ExitSignal:
		d.Exit = &exitDocument{Signal: &p.ExitValue}
	}
	if p.Shutdown != ShutdownNone {
		name := nameOr(p.Shutdown, p.shutdown)
		d.Shutdown = &name
	}
	return d
}

// code is one of the types of codes.
type code interface {
	~int32
	fmt.Stringer
}

// later is the name that a code of a later version came with; none for a code that is known.
func later[C code](c C, name string) string {
	if c == Unrecognized {
		return name
	}
	return ""
}

// nameOr is the name of a code, or the one that came with it from a later version.
func nameOr[C code](c C, later string) string {
	if c == Unrecognized && later != "" {
		return later
	}
	return c.String()
}

func (p present) has(n int) bool { return p&(1<<n) != 0 }

func optional(s string, isThere bool) *string {
	if s == "" && !isThere {
		return nil
	}
	return &s
}

// filled is a list that is written as [] where it is empty.
func filled(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// asText is bytes as text, with U+FFFD for each part that is no UTF-8, by the rule of the Unicode standard: the
// beginning of a character that is cut off is one such part.
func asText(data []byte) string {
	var text strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			for size < len(data) && !utf8.FullRune(data[:size]) && !utf8.FullRune(data[:size+1]) {
				size++
			}
		}
		text.WriteRune(r)
		data = data[size:]
	}
	return text.String()
}

// oneLine encodes without what only HTML needs, and without what some reader or other takes for the end of a line.
func oneLine(document any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	encoded := bytes.TrimSuffix(line.Bytes(), []byte("\n"))
	return bytes.ReplaceAll(encoded, []byte("\u0085"), []byte(`\u0085`)), nil
}
