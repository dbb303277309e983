package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; const char *version; mcpd_error *error; } go_version;
//
// static go_version go_versions_select(const char *const *modern, const char *const *legacy, const mcpd_str *named,
//                                      size_t count) {
//     go_version r = {0};
//     r.status = mcpd_versions_select(modern, legacy, named, count, &r.version, &r.error);
//     return r;
// }
import "C"

import (
	"strings"
	"unsafe"
)

// LibraryVersion is the version of the C library that is loaded, such as "0.1.0".
func LibraryVersion() string { return C.GoString(C.mcpd_version()) }

// ModernVersions lists the modern protocol versions that the library knows, best first.
func ModernVersions() []string { return list(C.mcpd_versions_modern()) }

// LegacyVersions lists the legacy protocol versions that the library knows, best first.
func LegacyVersions() []string { return list(C.mcpd_versions_legacy()) }

// list copies a list that ends with NULL.
func list(next **C.char) []string {
	var all []string
	for ; *next != nil; next = (**C.char)(unsafe.Add(unsafe.Pointer(next), unsafe.Sizeof(*next))) {
		all = append(all, C.GoString(*next))
	}
	return all
}

// VersionEra is the era of a protocol version: legacy for a date up to 2025-11-25, modern for any other text.
func VersionEra(version string) Era {
	if strings.IndexByte(version, 0) >= 0 {
		return EraModern // no date has a NUL in it
	}
	var in input
	defer in.free()
	return Era(C.mcpd_version_era(in.given(version, "version")))
}

// SelectVersion picks the best protocol version that both sides speak: the first of modern that the server names too,
// else the first of legacy that it names too. Only the client's order counts. For a list of the client's, nil stands
// for [ModernVersions] or [LegacyVersions]; one that is empty but not nil means no version. The result is empty if
// there is no common version.
func SelectVersion(modern, legacy, named []string) (string, error) {
	var in input
	defer in.free()
	clients := func(versions []string, argument string) **C.char {
		if versions == nil {
			return nil
		}
		return in.list(versions, argument)
	}
	m, l := clients(modern, "modern"), clients(legacy, "legacy")
	if in.err != nil {
		return "", in.err
	}
	views := make([]C.mcpd_str, len(named))
	for i, version := range named {
		if version != "" {
			in.pinner.Pin(unsafe.StringData(version))
			views[i] = C.mcpd_str{ptr: (*C.char)(unsafe.Pointer(unsafe.StringData(version))), len: C.size_t(len(version))}
		}
	}
	r := C.go_versions_select(m, l, unsafe.SliceData(views), C.size_t(len(views)))
	if r.status != C.MCPD_OK {
		return "", failure(r.status, r.error)
	}
	if r.version == nil {
		return "", nil
	}
	return C.GoString(r.version), nil
}
