package mcpdiscover

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func header(t *testing.T) string {
	return string(must(os.ReadFile(inRepository(t, "include/mcp_discover.h"))))
}

// notConstants are names of the header that no Go constant stands for: the package uses them itself.
var notConstants = regexp.MustCompile(`^MCPD_(ABI_VERSION|NO_GRACE|NO_WAIT|ID_\w+|ENV_\w+)$`)

// TestConstants checks that each constant of the header has its constant in Go, named by the same words. That the
// numbers agree is up to the compiler, for the Go constants are made of the C ones.
func TestConstants(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	goNames := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok {
			for i, name := range spec.Names {
				if value, ok := spec.Values[i].(*ast.SelectorExpr); ok {
					goNames[value.Sel.Name] = name.Name
				}
			}
		}
		return true
	})
	prefixes := strings.NewReplacer("MCPD_REMARK_", "Remark_", "MCPD_STDERR_", "Stderr_", "MCPD_", "")
	defines := regexp.MustCompile(`(?m)^#define (MCPD_\w+) \(?(-?\d+)`).FindAllStringSubmatch(header(t), -1)
	if len(defines) < 100 {
		t.Fatalf("only %d constants in the header", len(defines))
	}
	for _, define := range defines {
		name := define[1]
		if notConstants.MatchString(name) {
			continue
		}
		goName, ok := goNames[name]
		if !ok {
			t.Errorf("%s %s has no constant in Go", name, define[2])
			continue
		}
		words := strings.ReplaceAll(prefixes.Replace(name), "_", "")
		if !strings.EqualFold(words, goName) && !strings.EqualFold("Status"+words, goName) {
			t.Errorf("%s is called %s", name, goName)
		}
		delete(goNames, name)
	}
	if len(goNames) > 0 {
		t.Errorf("not in the header: %v", goNames)
	}
}

// TestStructSizes works out from the header's text how large each struct is.
func TestStructSizes(t *testing.T) {
	sizes := structSizes()
	pointer := strconv.IntSize / 8
	ofType := map[string]int{"size_t": pointer, "int64_t": 8, "uint64_t": 8, "double": 8, "mcpd_str": 2 * pointer}
	for _, typedef := range regexp.MustCompile(`typedef int32_t (\w+);`).FindAllStringSubmatch(header(t), -1) {
		ofType[typedef[1]] = 4
	}
	ofType["int32_t"] = 4
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	structs := regexp.MustCompile(`(?s)typedef struct (\w+) \{(.*?)\n\}`).FindAllStringSubmatch(header(t), -1)
	for _, s := range structs {
		name, size := s[1], 0
		for field := range strings.SplitSeq(comments.ReplaceAllString(s[2], ""), ";") {
			if field = strings.TrimSpace(field); field == "" {
				continue
			}
			n, ok := ofType[strings.Fields(field)[0]]
			if strings.Contains(field, "*") {
				n, ok = pointer, true
			}
			if !ok {
				t.Fatalf("%s: how large is %q?", name, field)
			}
			if align := min(n, pointer); size%align != 0 {
				t.Errorf("%s: there is padding before %q", name, field)
			}
			size += n
		}
		if uintptr(size) != sizes[name] {
			t.Errorf("%s has %d bytes by its text, %d in Go", name, size, sizes[name])
		}
		delete(sizes, name)
	}
	if len(structs) == 0 || len(sizes) > 0 {
		t.Errorf("not in the header: %v", sizes)
	}
}

func TestABIVersion(t *testing.T) {
	if header, library := abiVersions(); header != library {
		t.Errorf("compiled for ABI %d; the library has %d", header, library)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+`).MatchString(LibraryVersion()) {
		t.Errorf("the library's version is %q", LibraryVersion())
	}
}
