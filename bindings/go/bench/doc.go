// Package bench compares this library's reading of a reply with that of the official Go SDK. It is a module of its
// own, so that programs that use the library do not depend on the SDK.
package bench
