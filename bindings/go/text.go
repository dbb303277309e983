package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_text *text; mcpd_error *error; } go_text;
//
// static go_text go_text_printable(const char *data, size_t length) {
//     go_text r = {0};
//     r.status = mcpd_text_printable(data, length, &r.text, &r.error);
//     return r;
// }
// #cgo noescape go_text_printable
// #cgo nocallback go_text_printable
import "C"

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// Printable makes a copy of a text that is safe to print on a terminal: control and escape characters, line breaks and
// characters that change the direction of text are written as \n, \x1b, \u202e and so on, so that nothing a server
// says moves the cursor, changes colours or hides what is there. Bytes that are not UTF-8 are shown as U+FFFD.
func Printable(s string) string {
	if s == "" {
		return ""
	}
	r := C.go_text_printable((*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s)))
	if r.status != C.MCPD_OK {
		panic(failure(r.status, r.error)) // no memory is left, which ends a Go program anyway
	}
	defer C.mcpd_text_free(r.text)
	return text(r.text.text)
}

// text copies a text of the library's; an absent one is empty.
func text(s C.mcpd_str) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(s.ptr)), s.len))
}

// raw copies JSON of the library's; absent JSON is nil.
func raw(s C.mcpd_str) json.RawMessage {
	if s.ptr == nil {
		return nil
	}
	return append(json.RawMessage{}, unsafe.Slice((*byte)(unsafe.Pointer(s.ptr)), s.len)...)
}

// texts copies a list of texts; an empty one is nil.
func texts(first *C.mcpd_str, count C.size_t) []string {
	if count == 0 {
		return nil
	}
	list := make([]string, count)
	for i, s := range unsafe.Slice(first, count) {
		list[i] = text(s)
	}
	return list
}

// input is what a call passes in: texts and lists as C takes them, in memory of Go's that stays where it is until the
// call is over. It keeps the first error.
type input struct {
	pinner runtime.Pinner
	err    *Error
}

// text gives a text that ends with NUL, and NULL for an empty one, which stands for the default.
func (in *input) text(s, argument string) *C.char {
	if s == "" {
		return nil
	}
	return in.given(s, argument)
}

// given is text for where an empty text is no default.
func (in *input) given(s, argument string) *C.char {
	return in.named(s, func() string { return argument })
}

// named is given for where the argument's name has to be made first.
func (in *input) named(s string, argument func() string) *C.char {
	if at := strings.IndexByte(s, 0); at >= 0 {
		in.fail(invalid(argument(), fmt.Sprintf("expected a text without NUL, found one at %d", at), int64(at)))
	}
	b := make([]byte, len(s)+1)
	copy(b, s)
	in.pinner.Pin(&b[0])
	return (*C.char)(unsafe.Pointer(&b[0]))
}

// list gives a list that ends with NULL; an empty one is not NULL.
func (in *input) list(list []string, argument string) **C.char {
	pointers := make([]*C.char, len(list)+1)
	for i, s := range list {
		pointers[i] = in.named(s, func() string { return fmt.Sprintf("%s[%d]", argument, i) })
	}
	in.pinner.Pin(&pointers[0])
	return &pointers[0]
}

// client gives the texts that say who asks, all of them NULL for the default client.
func (in *input) client(c *Implementation) (name, version, title, description, websiteURL, icons *C.char) {
	if c == nil {
		return
	}
	return in.given(c.Name, "client_name"),
		in.text(c.Version, "client_version"),
		in.text(c.Title, "client_title"),
		in.text(c.Description, "client_description"),
		in.text(c.WebsiteURL, "client_website_url"),
		in.icons(c.Icons, "client_icons_json")
}

// icons gives icons as JSON.
func (in *input) icons(icons []Icon, argument string) *C.char {
	if len(icons) == 0 {
		return nil
	}
	documents := make([]iconDocument, len(icons))
	for i, icon := range icons {
		documents[i] = icon.document()
	}
	encoded, err := json.Marshal(documents)
	if err != nil {
		in.fail(invalid(argument, err.Error(), -1))
	}
	return in.text(string(encoded), argument)
}

func (in *input) fail(err *Error) {
	if in.err == nil {
		in.err = err
	}
}

func (in *input) free() { in.pinner.Unpin() }
