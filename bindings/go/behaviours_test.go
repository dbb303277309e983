package mcpdiscover

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

type behaviour struct {
	Command []string
	Options behaviourOptions
	Expect  map[string]any
	Failure *struct {
		Status  string
		Message []string
	}
}

type behaviourOptions struct {
	TimeoutMs         int64
	DiscoverTimeoutMs int64
	GraceMs           *int64
	MaxStarts         int
	Fallback          string
	ModernVersions    []string
	LegacyVersions    []string
	MaxLineBytes      int
	MaxStderrBytes    int
	Env               map[string]*string
	EnvMode           string
	Cwd               string
	Stderr            string
}

// record is a line of a server's log.
type record struct {
	Pid    int
	Start  bool
	Method *string
}

// TestBehaviours runs the corpus in tests/behaviours; see its README.
func TestBehaviours(t *testing.T) {
	files := must(filepath.Glob(inRepository(t, "tests/behaviours/*.json")))
	if len(files) == 0 {
		t.Fatal("no behaviour found")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			runBehaviour(t, file)
		})
	}
}

func runBehaviour(t *testing.T, file string) {
	var b behaviour
	read := json.NewDecoder(bytes.NewReader(must(os.ReadFile(file))))
	if err := read.Decode(&b); err != nil {
		t.Fatal(err)
	}
	if len(b.Expect) == 0 && b.Failure == nil {
		t.Fatal("nothing is expected")
	}
	log := filepath.Join(t.TempDir(), "log")
	command := &Command{
		Args:     b.argv(t, file),
		Env:      []string{"BEHAVIOUR_LOG=" + log},
		ExactEnv: b.Options.EnvMode == "exact",
		Dir:      b.Options.Cwd,
	}
	for name, value := range b.Options.Env {
		if value != nil {
			name += "=" + *value
		}
		command.Env = append(command.Env, name)
	}
	if b.Options.Stderr == "discard" {
		command.Stderr = StderrDiscard
	}
	var fromLibrary json.RawMessage
	options := append(b.Options.list(), func(s *settings) {
		s.observe = func(libraryJSON func() json.RawMessage) { fromLibrary = libraryJSON() }
	})

	began := time.Now()
	verdict, err := Probe(context.Background(), command, options...)
	elapsed := time.Since(began)

	records := readLog(t, log)
	for _, r := range records {
		if outlives(r.Pid, 2*time.Second) {
			t.Errorf("process %d was left behind", r.Pid)
		}
	}
	if limit := b.Options.limit(); elapsed > limit {
		t.Errorf("took %v; timeout and allowances are %v", elapsed, limit)
	}
	if b.Failure != nil {
		checkFailure(t, &b, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	encoded := must(json.Marshal(verdict))
	seen := generic(t, encoded)
	codes := map[string]bool{}
	for _, r := range verdict.Remarks {
		codes[r.Code.String()] = true
	}
	for name, expected := range b.Expect {
		switch name {
		case "remarks":
			for _, code := range expected.([]any) {
				if !codes[code.(string)] {
					t.Errorf("the remark %s is missing among %v", code, verdict.Remarks)
				}
			}
		case "noRemarks":
			for _, code := range expected.([]any) {
				if codes[code.(string)] {
					t.Errorf("the remark %s should not be there", code)
				}
			}
		case "asked":
			compare(t, "asked", expected, asked(records))
		case "withinMs":
			if limit := time.Duration(expected.(float64)) * time.Millisecond; elapsed > limit {
				t.Errorf("took %v, expected at most %v", elapsed, limit)
			}
		default:
			compare(t, name, expected, seen[name])
		}
	}
	checkStarts(t, &b, records, verdict)
	checkJSON(t, verdict, encoded, fromLibrary)
	if t.Failed() {
		t.Logf("verdict: %s", encoded)
	}
}

func (b *behaviour) argv(t *testing.T, file string) []string {
	argv := b.Command
	if argv == nil {
		argv = []string{"$PYTHON", "$SERVER", "$BEHAVIOUR"}
	}
	replace := strings.NewReplacer(
		"$PYTHON", python(),
		"$SERVER", inRepository(t, "examples/servers/scripted.py"),
		"$BEHAVIOUR", file,
	)
	replaced := make([]string, len(argv))
	for i, word := range argv {
		replaced[i] = replace.Replace(word)
	}
	return replaced
}

func (o *behaviourOptions) list() []Option {
	options := []Option{
		WithTimeout(time.Duration(o.TimeoutMs) * time.Millisecond),
		WithDiscoverTimeout(time.Duration(o.DiscoverTimeoutMs) * time.Millisecond),
		WithMaxStarts(o.MaxStarts),
		WithMaxLineBytes(o.MaxLineBytes),
		WithMaxStderrBytes(o.MaxStderrBytes),
		WithTranscript(1 << 16),
	}
	if o.GraceMs != nil {
		options = append(options, WithGrace(time.Duration(*o.GraceMs)*time.Millisecond))
	}
	if o.Fallback == "none" {
		options = append(options, WithFallback(FallbackNone))
	}
	if o.ModernVersions != nil {
		options = append(options, WithModernVersions(o.ModernVersions...))
	}
	if o.LegacyVersions != nil {
		options = append(options, WithLegacyVersions(o.LegacyVersions...))
	}
	return options
}

func (o *behaviourOptions) starts() int {
	if o.MaxStarts > 0 {
		return o.MaxStarts
	}
	return 2
}

// limit is the longest that the call may take. The clocks start when the processes have started, which takes a busy
// machine a while.
func (o *behaviourOptions) limit() time.Duration {
	timeout, grace := 30*time.Second, 2*time.Second
	if o.TimeoutMs > 0 {
		timeout = time.Duration(o.TimeoutMs) * time.Millisecond
	}
	if o.GraceMs != nil {
		grace = time.Duration(*o.GraceMs) * time.Millisecond
	}
	return timeout + time.Duration(o.starts())*(2*grace+5*time.Second)
}

func checkFailure(t *testing.T, b *behaviour, err error) {
	failure, ok := err.(*Error)
	if !ok {
		t.Fatalf("got %v; expected a failure", err)
	}
	if failure.Status.String() != b.Failure.Status {
		t.Errorf("got %s; expected %s", failure.Status, b.Failure.Status)
	}
	for _, part := range b.Failure.Message {
		if !strings.Contains(failure.Message, part) {
			t.Errorf("the message %q lacks %q", failure.Message, part)
		}
	}
}

func checkStarts(t *testing.T, b *behaviour, records []record, verdict *Verdict) {
	logged := 0
	for _, r := range records {
		if r.Start {
			logged++
		}
	}
	if most := b.Options.starts(); logged > most || len(verdict.Processes) > most {
		t.Errorf("%d processes were started, %d by the log; expected at most %d", len(verdict.Processes), logged, most)
	}
}

// checkJSON checks that the verdict as JSON is what the library makes of it, and that reading it gives it back.
func checkJSON(t *testing.T, verdict *Verdict, encoded, fromLibrary []byte) {
	ours, theirs := generic(t, encoded), generic(t, fromLibrary)
	if !reflect.DeepEqual(rounded(ours), rounded(theirs)) {
		t.Errorf("ours and the library's JSON differ:\n%s\n%s", encoded, fromLibrary)
	}
	if bytes.ContainsAny(must(verdict.MarshalJSON()), "\n\r\u0085\u2028\u2029") {
		t.Errorf("more than one line: %s", encoded)
	}
	for _, source := range [][]byte{encoded, fromLibrary} {
		var read Verdict
		if err := json.Unmarshal(source, &read); err != nil {
			t.Fatal(err)
		}
		if again := must(json.Marshal(read)); !reflect.DeepEqual(rounded(generic(t, again)), rounded(ours)) {
			t.Errorf("read and written again it differs:\n%s\n%s", encoded, again)
		}
		checkRead(t, verdict, &read)
	}
}

// checkRead compares the values that a program sees.
func checkRead(t *testing.T, verdict, read *Verdict) {
	original, copied := reflect.ValueOf(*verdict), reflect.ValueOf(*read)
	for i := range original.NumField() {
		field := original.Type().Field(i)
		switch field.Name {
		case "Transcript":
			continue // bytes that are no UTF-8 can't be had back
		case "Discover", "Initialize", "DiscoverError", "InitializeError", "Capabilities":
			continue // white space in their JSON is not kept; see below
		}
		a, b := original.Field(i), copied.Field(i)
		if field.IsExported() && !reflect.DeepEqual(a.Interface(), b.Interface()) {
			t.Errorf("%s: read %+v, was %+v", field.Name, b, a)
		}
	}
	if d, r := verdict.Discover, read.Discover; d != nil {
		if !reflect.DeepEqual(
			[]any{d.ResultType, d.SupportedVersions, d.Server, d.Instructions, d.TTLMs, d.HasTTL, d.CacheScope, d.HasCacheScope},
			[]any{r.ResultType, r.SupportedVersions, r.Server, r.Instructions, r.TTLMs, r.HasTTL, r.CacheScope, r.HasCacheScope},
		) {
			t.Errorf("Discover: read %+v, was %+v", r, d)
		}
	}
	if c, r := verdict.Capabilities, read.Capabilities; c != nil {
		if c.Tools != r.Tools || c.ToolsListChanged != r.ToolsListChanged || c.Resources != r.Resources ||
			c.ResourcesSubscribe != r.ResourcesSubscribe || c.ResourcesListChanged != r.ResourcesListChanged ||
			c.Prompts != r.Prompts || c.PromptsListChanged != r.PromptsListChanged || c.Completions != r.Completions ||
			c.Logging != r.Logging || len(c.Extensions) != len(r.Extensions) || len(c.Experimental) != len(r.Experimental) {
			t.Errorf("Capabilities: read %+v, was %+v", r, c)
		}
	}
	if d, r := verdict.DiscoverError, read.DiscoverError; d != nil {
		if d.Code != r.Code || d.Message != r.Message || !reflect.DeepEqual(d.Supported, r.Supported) {
			t.Errorf("DiscoverError: read %+v, was %+v", r, d)
		}
	}
}

func generic(t *testing.T, encoded []byte) map[string]any {
	t.Helper()
	var decoded map[string]any
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
	return decoded
}

// rounded rounds what is counted in milliseconds to the nanosecond, as Go counts.
func rounded(v any) any {
	switch v := v.(type) {
	case map[string]any:
		copied := map[string]any{}
		for name, value := range v {
			if ms, ok := value.(float64); ok && (name == "elapsedMs" || name == "replyMs" || name == "atMs") {
				value = math.Round(ms * 1e6)
			}
			copied[name] = rounded(value)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, value := range v {
			copied[i] = rounded(value)
		}
		return copied
	}
	return v
}

func readLog(t *testing.T, path string) []record {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	var records []record
	for line := range bytes.Lines(must(data, err)) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in the log: %s", err, line)
		}
		records = append(records, r)
	}
	return records
}

// asked is what each process was asked, in the order of their starts.
func asked(records []record) any {
	processes := []any{}
	for _, start := range records {
		if !start.Start {
			continue
		}
		methods := []any{}
		for _, r := range records {
			if r.Pid == start.Pid && r.Method != nil {
				methods = append(methods, *r.Method)
			}
		}
		processes = append(processes, methods)
	}
	return processes
}

// compare compares what is expected: an object's members, all elements of an array, {"contains": "..."} a part of a text.
func compare(t *testing.T, place string, expected, seen any) {
	t.Helper()
	switch e := expected.(type) {
	case map[string]any:
		if s, ok := seen.(string); ok {
			if part, ok := e["contains"].(string); ok && strings.Contains(s, part) {
				return
			}
		}
		if s, ok := seen.(map[string]any); ok {
			for name, value := range e {
				compare(t, place+"."+name, value, s[name])
			}
			return
		}
	case []any:
		if s, ok := seen.([]any); ok && len(s) == len(e) {
			for i, value := range e {
				compare(t, fmt.Sprintf("%s[%d]", place, i), value, s[i])
			}
			return
		}
	default:
		if reflect.DeepEqual(expected, seen) {
			return
		}
	}
	t.Errorf("%s: expected %v, seen %v", place, expected, seen)
}

// outlives tells whether a process lives on beyond this time; what SIGKILL was sent to takes a moment to go.
func outlives(pid int, patience time.Duration) bool {
	for deadline := time.Now().Add(patience); isAlive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return true
		}
	}
	return false
}

// isAlive takes a zombie that a foreign init has not reaped yet for dead.
func isAlive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return state != "" && state[0] != 'Z' && state[0] != 'X'
}
