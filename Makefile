# `make demo` shows the library at work, `make test` runs everything. Both fetch what they need themselves.

CARGO ?= cargo
PYTHON ?= python3
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra -pedantic

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

CACHE := .cache
RELEASE := target/release
LIBRARY := $(RELEASE)/libmcp_discover.so
SONAME := $(RELEASE)/libmcp_discover.so.0
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
PROBE := $(RELEASE)/examples-c/probe

GO ?= go

.PHONY: help build demo test test-go lint install uninstall clean

help:
	@echo 'make build                         build the library in $(RELEASE)'
	@echo 'make demo                          probe the example server in three roles'
	@echo "make demo SERVER='COMMAND ARG...'  probe any MCP server that speaks over stdio"
	@echo 'make test                          check and test everything'
	@echo 'make install PREFIX=DIRECTORY      install header, libraries and pkg-config file; uninstall undoes it'
	@echo 'make test-go                       check and test the Go package'

build: $(SONAME)

# The library is known to the linker by this name; an install lays the same link.
$(SONAME): $(LIBRARY)
	ln -sf $(notdir $<) $@

$(LIBRARY): $(shell find src -name '*.rs') Cargo.toml Cargo.lock build.rs cbindgen.toml
	$(CARGO) build --release --locked
	@touch $@

$(RELEASE)/examples-c/%: examples/c/%.c include/mcp_discover.h $(SONAME)
	@mkdir -p $(@D)
	$(CC) -std=c99 $(CFLAGS) -Iinclude $< -o $@ -L$(RELEASE) -lmcp_discover -Wl,-rpath,$(abspath $(RELEASE))

demo: $(PROBE)
ifdef SERVER
	$(PROBE) $(SERVER) || [ $$? -eq 3 ] # 3: it runs, but what it is could not be told
else
	@for role in modern legacy dying; do \
	    echo; echo "== examples/servers/$$role.json"; \
	    $(PROBE) $(PYTHON) examples/servers/scripted.py examples/servers/$$role.json || exit; \
	done
endif

# Python packages, pinned, each set in an environment of its own.
$(CACHE)/%/installed: tests/requirements/%.txt
	@rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

lint: $(CACHE)/tools/installed
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --locked -- -D warnings
	$(CACHE)/tools/bin/ruff check examples tests
	$(CACHE)/tools/bin/ruff format --check examples tests

# The tests themselves keep their checks for overflow; the library that C programs load is the one that is shipped.
test: lint build test-go $(CACHE)/modern-server/installed $(CACHE)/legacy-server/installed
	MCPD_LIBRARY_DIR=$(abspath $(RELEASE)) REAL_SERVERS=$(abspath $(CACHE)) PYTHON=$(PYTHON) \
	    $(CARGO) test --locked

install: build
	install -d $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 include/mcp_discover.h $(DESTDIR)$(INCLUDEDIR)/
	install -m 644 $(RELEASE)/libmcp_discover.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(LIBRARY) $(DESTDIR)$(LIBDIR)/libmcp_discover.so.$(VERSION)
	ln -sf libmcp_discover.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libmcp_discover.so.0
	ln -sf libmcp_discover.so.0 $(DESTDIR)$(LIBDIR)/libmcp_discover.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' bindings/pkgconfig/mcp_discover.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/mcp_discover.pc

uninstall:
	rm -f $(DESTDIR)$(INCLUDEDIR)/mcp_discover.h $(DESTDIR)$(LIBDIR)/pkgconfig/mcp_discover.pc
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/libmcp_discover.,a so so.0 so.$(VERSION))

# The race detector and both of cgo's checks are on. A test that passes says nothing, one that is skipped says why.
GO_DEV := -tags mcp_discover_dev
STATICCHECK = $(GO) tool -modfile=$(abspath bindings/go/tools.mod) staticcheck $(GO_DEV) ./...

test-go: build $(CACHE)/modern-server/installed $(CACHE)/legacy-server/installed
	@if command -v $(GO) >/dev/null; then \
	    $(MAKE) --no-print-directory run-go-tests; \
	elif [ "$$CI" = true ]; then \
	    echo 'Go is not installed' >&2; exit 1; \
	else \
	    echo 'SKIPPED: Go is not installed, so nobody tests bindings/go' >&2; \
	fi

.PHONY: run-go-tests
run-go-tests:
	@unformatted=$$($$($(GO) env GOROOT)/bin/gofmt -l bindings/go examples/go); [ -z "$$unformatted" ] || { echo "gofmt: $$unformatted" >&2; exit 1; }
	@set -e; for module in bindings/go bindings/go/bench examples/go; do \
	    echo "go vet, staticcheck: $$module"; \
	    (cd $$module && $(GO) vet $(GO_DEV) ./... && $(STATICCHECK)); \
	done
	@mkdir -p $(CACHE)
	@cd bindings/go; log=$(abspath $(CACHE))/go-tests.log; status=0; \
	GOEXPERIMENT=cgocheck2 GODEBUG=cgocheck=1 REAL_SERVERS=$(abspath $(CACHE)) PYTHON=$(PYTHON) \
	    $(GO) test -v -race -count=1 $(GO_DEV) ./... >$$log 2>&1 || status=$$?; \
	grep -vE '^ *(=== |--- PASS)|^PASS' $$log; exit $$status
	cd bindings/go/bench && $(GO) test -v -count=1 $(GO_DEV) ./...

clean:
	$(CARGO) clean
	rm -rf $(CACHE)
