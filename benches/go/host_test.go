package main

import (
	"testing"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

// TestBothRead makes sure that the two that are compared do read the same.
func TestBothRead(t *testing.T) {
	for _, path := range []string{"../messages/small.json", "../messages/typical.json", "../messages/full.json"} {
		message := load(path)
		ours, err := mcpdiscover.ParseReply(message, nil)
		if err != nil || ours.Discover == nil || len(ours.Remarks) > 0 {
			t.Fatalf("%s: %+v, %v", path, ours, err)
		}
		theirs, err := sdkRead(message)
		if err != nil || theirs.SupportedVersions[0] != ours.Discover.SupportedVersions[0] ||
			theirs.Instructions != ours.Discover.Instructions || theirs.TTLMs != int(ours.Discover.TTLMs) {
			t.Errorf("%s: %+v is not %+v, %v", path, theirs, ours.Discover, err)
		}
	}
}
