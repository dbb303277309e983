# `make demo` shows the library at work, `make test` runs every test but the slow ones, which `make test-long` runs. All
# fetch what they need themselves. The folder may have spaces in its path: what is a target or a prerequisite is relative.

CARGO ?= cargo
CC ?= cc
GO ?= go
PYTHON ?= python3
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

.PHONY: help build demo bench test lint test-rust test-python test-go test-long interop fuzz docs abi abidiff deny msrv platforms install uninstall dist clean

help:
	@echo 'make build                         build the library in $(RELEASE)'
	@echo 'make demo                          probe the example server in three roles'
	@echo "make demo SERVER='COMMAND ARG...'  probe any MCP server that speaks over stdio"
	@echo 'make test                          check and test everything that is quick'
	@echo 'make lint, test-rust, -python, -go a part of that'
	@echo 'make test-long                     what takes minutes: a thousand probes, floods, sanitizers, packages'
	@echo 'make docs                          the reference of the headers as HTML, in target/docs/html'
	@echo 'make abi                           the interface that programs are compiled with, for a release'
	@echo 'make deny, msrv, platforms         licences and advisories of the crates; the oldest Rust; other systems'
	@echo 'make dist                          the release archives, in target/dist'
	@echo 'make interop                       probe servers of every SDK and age; writes docs/compatibility.md'
	@echo 'make fuzz FUZZ_SECONDS=60          look for inputs that break it, so long for each target; needs a nightly Rust'
	@echo 'make bench                         measure it beside others, and write docs/performance.md'
	@echo 'make install PREFIX=DIRECTORY      install headers, libraries and pkg-config file; uninstall undoes it'

build: $(SONAME)

# The library is known to the linker by this name; an install lays the same link.
$(SONAME): $(LIBRARY)
	ln -sf $(notdir $<) $@

# The kinds are named because with an rlib among them nothing would be optimised across crates.
$(LIBRARY): $(shell find src -name '*.rs') Cargo.toml Cargo.lock build.rs cbindgen.toml
	@command -v $(CARGO) >/dev/null || { echo 'Rust is not installed: see https://rustup.rs' >&2; exit 1; }
	$(CARGO) rustc --release --locked --lib --crate-type cdylib,staticlib
	@touch $@

$(RELEASE)/examples-c/%: examples/c/%.c include/mcp_discover.h $(SONAME)
	@mkdir -p $(@D)
	$(CC) -std=c99 $(CFLAGS) -Iinclude $< -o $@ -L$(RELEASE) -lmcp_discover -Wl,-rpath,"$(abspath $(RELEASE))"

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

# Programs that cargo builds, pinned. It takes minutes, so they may be kept elsewhere.
CARGO_TOOLS ?= $(CACHE)/cargo-tools
$(CARGO_TOOLS)/bin/cargo-deny: ; $(CARGO) install --quiet --locked --root $(CARGO_TOOLS) cargo-deny@0.20.2
$(CARGO_TOOLS)/bin/cargo-fuzz: ; $(CARGO) install --quiet --locked --root $(CARGO_TOOLS) cargo-fuzz@0.13.2

REAL_SERVERS := $(CACHE)/modern-server/installed $(CACHE)/legacy-server/installed
TEST_ENVIRONMENT := REAL_SERVERS="$(abspath $(CACHE))" PYTHON=$(PYTHON)

test: test-rust test-python test-go lint

# Crates that are workspaces of their own.
OTHER_CRATES := benches/least benches/library benches/rmcp fuzz tests/interop/servers/rust
PYTHON_CODE := bindings/python benches examples fuzz tests

lint: $(CACHE)/tools/installed $(CACHE)/python/installed
	$(CARGO) fmt --check
	@for crate in $(OTHER_CRATES); do $(CARGO) fmt --check --all --manifest-path $$crate/Cargo.toml || exit; done
	$(CARGO) clippy --all-targets --locked -- -D warnings
	$(CACHE)/tools/bin/ruff check $(PYTHON_CODE)
	$(CACHE)/tools/bin/ruff format --check $(PYTHON_CODE)
	$(CACHE)/python/bin/mypy --config-file bindings/python/pyproject.toml bindings/python/src

# The tests themselves keep their checks for overflow; the library that C programs load is the one that is shipped.
test-rust: build $(REAL_SERVERS)
	MCPD_LIBRARY_DIR="$(abspath $(RELEASE))" $(TEST_ENVIRONMENT) $(CARGO) test --locked

# Most tests wait for servers, so there may be more of them than cores.
PYTEST = PYTHONPATH=bindings/python/src REAL_SERVERS="$(abspath $(CACHE))" \
    $(CACHE)/python/bin/python -m pytest -q -c bindings/python/pyproject.toml bindings/python/tests
test-python: build $(CACHE)/python/installed $(REAL_SERVERS)
	$(PYTEST) --numprocesses 8 --ignore bindings/python/tests/test_package.py

test-go: build $(REAL_SERVERS)
	@if command -v $(GO) >/dev/null; then \
	    $(MAKE) --no-print-directory run-go-tests; \
	elif [ "$$CI" = true ]; then \
	    echo 'Go is not installed' >&2; exit 1; \
	else \
	    echo 'SKIPPED: Go is not installed, so nobody tests bindings/go' >&2; \
	fi

# The race detector and both of cgo's checks are on. A test that passes says nothing, one that is skipped says why.
GO_DEV := -tags mcp_discover_dev
STATICCHECK = $(GO) tool -modfile="$(abspath bindings/go/tools.mod)" staticcheck $(GO_DEV) ./...
GO_LOG := $(abspath $(CACHE))/go-tests.log

.PHONY: run-go-tests
run-go-tests:
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l benches/go bindings/go examples/go tests/interop); \
	[ -z "$$unformatted" ] || { echo "gofmt: $$unformatted" >&2; exit 1; }
	@set -e; for module in bindings/go benches/go examples/go tests/interop/prober; do \
	    echo "go vet, staticcheck: $$module"; \
	    (cd $$module && $(GO) vet $(GO_DEV) ./... && $(STATICCHECK)); \
	done
	@mkdir -p $(CACHE)
	@cd bindings/go; status=0; \
	GOEXPERIMENT=cgocheck2 GODEBUG=cgocheck=1 $(TEST_ENVIRONMENT) \
	    $(GO) test -v -race -count=1 $(GO_DEV) ./... >"$(GO_LOG)" 2>&1 || status=$$?; \
	grep -vE '^ *(=== |--- PASS)|^PASS' "$(GO_LOG)"; exit $$status
	cd benches/go && $(GO) test -v -count=1 $(GO_DEV) ./...

$(CACHE)/interop-kept: tests/interop/kept.c include/mcp_discover.h $(SONAME)
	@mkdir -p $(@D)
	$(CC) -std=c99 $(CFLAGS) -Iinclude $< -o $@ -L$(RELEASE) -lmcp_discover -Wl,-rpath,"$(abspath $(RELEASE))"

# Servers of every SDK and age. CI compares what it sees with the page that this writes elsewhere.
INTEROP = PYTHONPATH=bindings/python/src $(CACHE)/python/bin/python
INTEROP_PAGE = $(INTEROP) tests/interop/page.py $(if $(filter true,$(CI)),--check)
interop: build $(PROBE) $(CACHE)/interop-kept $(CACHE)/python/installed
	@rm -f $(CACHE)/interop-prober
	-cd tests/interop/prober && $(GO) build $(GO_DEV) -o "$(abspath $(CACHE))/interop-prober" .
	-$(INTEROP) tests/interop/install.py
	$(INTEROP) -m pytest -q -c bindings/python/pyproject.toml tests/interop --numprocesses 2 --dist loadgroup
	$(INTEROP_PAGE)

# What the fuzzer finds stays in fuzz/artifacts, and what it has learned in fuzz/corpus.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := reply request verdict conversation http
CARGO_FUZZ := PATH="$(abspath $(CARGO_TOOLS))/bin:$$PATH" $(CARGO) +nightly fuzz

.PHONY: run-fuzz
fuzz:
	@if $(CARGO) +nightly --version >/dev/null 2>&1; then \
	    $(MAKE) --no-print-directory run-fuzz; \
	else \
	    echo 'SKIPPED: there is no nightly Rust, so nobody fuzzes' >&2; \
	fi

run-fuzz: $(CARGO_TOOLS)/bin/cargo-fuzz
	$(PYTHON) fuzz/seeds.py tests/behaviours fuzz/corpus
	$(CARGO_FUZZ) build
	@for target in $(FUZZ_TARGETS); do \
	    echo "fuzzing: $$target"; \
	    $(CARGO_FUZZ) run $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -print_final_stats=1 \
	        >$(CACHE)/fuzz-$$target.log 2>&1 || { tail -n 60 $(CACHE)/fuzz-$$target.log; exit 1; }; \
	    grep -E 'number_of_executed_units' $(CACHE)/fuzz-$$target.log; \
	done

# The files of pkg-config and CMake name other folders from where they are themselves, so that all can be moved together.
CMAKEDIR := $(LIBDIR)/cmake/mcp_discover
empty :=
UP := $(subst $(empty) ,/,$(patsubst %,..,$(subst /, ,$(patsubst $(PREFIX)/%,%,$(CMAKEDIR)))))
PC_PREFIX ?= $(PREFIX)
SUBSTITUTE = sed -e 's|@PREFIX@|$(PC_PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|'

install: build
	install -d "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(CMAKEDIR)"
	install -m 644 include/mcp_discover.h include/mcp_discover.hpp "$(DESTDIR)$(INCLUDEDIR)/"
	install -m 644 $(RELEASE)/libmcp_discover.a "$(DESTDIR)$(LIBDIR)/"
	install -m 755 $(LIBRARY) "$(DESTDIR)$(LIBDIR)/libmcp_discover.so.$(VERSION)"
	ln -sf libmcp_discover.so.$(VERSION) "$(DESTDIR)$(LIBDIR)/libmcp_discover.so.0"
	ln -sf libmcp_discover.so.0 "$(DESTDIR)$(LIBDIR)/libmcp_discover.so"
	$(SUBSTITUTE) -e 's|@INCLUDEDIR@|$(INCLUDEDIR:$(PREFIX)/%=$${prefix}/%)|' \
	    bindings/pkgconfig/mcp_discover.pc.in > "$(DESTDIR)$(LIBDIR)/pkgconfig/mcp_discover.pc"
	$(SUBSTITUTE) -e 's|@INCLUDEDIR@|$(INCLUDEDIR:$(PREFIX)/%=$${_mcp_discover_here}/$(UP)/%)|' \
	    bindings/cmake/mcp_discover-config.cmake.in > "$(DESTDIR)$(CMAKEDIR)/mcp_discover-config.cmake"
	$(SUBSTITUTE) bindings/cmake/mcp_discover-config-version.cmake.in > "$(DESTDIR)$(CMAKEDIR)/mcp_discover-config-version.cmake"

uninstall:
	rm -f "$(DESTDIR)$(INCLUDEDIR)/mcp_discover.h" "$(DESTDIR)$(INCLUDEDIR)/mcp_discover.hpp"
	rm -f $(foreach end,a so so.0 so.$(VERSION),"$(DESTDIR)$(LIBDIR)/libmcp_discover.$(end)")
	rm -f "$(DESTDIR)$(LIBDIR)/pkgconfig/mcp_discover.pc"
	rm -f $(foreach end,config config-version,"$(DESTDIR)$(CMAKEDIR)/mcp_discover-$(end).cmake")
	[ ! -d "$(DESTDIR)$(CMAKEDIR)" ] || rmdir "$(DESTDIR)$(CMAKEDIR)"

# Two archives, of the sources and of what an install lays, for it to be unpacked anywhere. The same commit gives the same
# bytes in whatever folder it is built, if Rust, the linker, tar and gzip are the same.
DIST := target/dist
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
SOURCES := mcp-discover-$(VERSION)
BINARIES = $(SOURCES)-$(HOST)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
# Cargo wants \037 between the flags where a folder may have spaces.
REMAP = $$(printf -- '--remap-path-prefix=%s=/mcp-discover\037--remap-path-prefix=%s=/cargo' "$(CURDIR)" "$(or $(CARGO_HOME),$(HOME)/.cargo)")

dist:
	@rm -rf $(DIST)/$(BINARIES)
	@mkdir -p $(DIST)
	git archive --format=tar --prefix=$(SOURCES)/ HEAD | gzip -n9 > $(DIST)/$(SOURCES).tar.gz
	CARGO_TARGET_DIR=$(DIST)/build CARGO_ENCODED_RUSTFLAGS="$(REMAP)" $(MAKE) --no-print-directory install RELEASE=$(DIST)/build/release \
	    DESTDIR=$(DIST)/$(BINARIES) PREFIX= PC_PREFIX='$$$${pcfiledir}/../..'
	install -m 644 LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md $(DIST)/$(BINARIES)/
	tar --create --directory=$(DIST) --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    --mtime=@$(SOURCE_DATE_EPOCH) $(BINARIES) | gzip -n9 > $(DIST)/$(BINARIES).tar.gz
	@cd $(DIST) && sha256sum $(SOURCES).tar.gz $(BINARIES).tar.gz

docs:
	@if command -v doxygen >/dev/null; then \
	    mkdir -p target/docs && doxygen docs/Doxyfile && echo target/docs/html/index.html; \
	else \
	    echo 'SKIPPED: doxygen is not installed, so nobody looks at the reference it makes of the headers' >&2; \
	fi

# Writes down the interface that programs are compiled with, for a release. It refuses what would break such programs.
abi:
	MCPD_WRITE_ABI=1 $(CARGO) test --locked --test abi nothing_that_was_released

# Compares a library with debug information to the one of this tree.
abidiff:
	@[ -n "$(OLD)" ] || { echo 'make abidiff OLD=LIBRARY' >&2; exit 2; }
	$(CARGO) rustc --locked --lib --crate-type cdylib
	abidiff --suppressions tests/abi/growth.abignore $(OLD) target/debug/libmcp_discover.so

# The licences of all crates, and what is known against them. Advisories come from a database on the network.
DENY := $(CARGO_TOOLS)/bin/cargo-deny --locked
deny: $(CARGO_TOOLS)/bin/cargo-deny
	$(DENY) check licenses bans sources
	@if $(DENY) fetch db; then $(DENY) check --disable-fetch advisories; \
	else echo 'SKIPPED: the database of advisories is out of reach' >&2; fi

# The oldest Rust that the library is built with, as Cargo.toml states it. Clippy, which knows that version, refuses what
# came into the standard library later.
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	@if rustc +$(MSRV) --version >/dev/null 2>&1; then \
	    $(CARGO) +$(MSRV) check --locked --target-dir target/msrv; \
	else \
	    echo 'SKIPPED: Rust $(MSRV) is not installed, so nobody builds with it; rustup toolchain install $(MSRV)' >&2; \
	fi

# Other systems are looked at by the compiler alone, where Rust has their standard library.
platforms:
	@for target in aarch64-apple-darwin x86_64-unknown-freebsd x86_64-pc-windows-msvc; do \
	    if [ -n "$$(ls "$$(rustc --print sysroot)/lib/rustlib/$$target/lib" 2>/dev/null)" ]; then \
	        $(CARGO) check --locked --lib --target $$target || exit; \
	    else \
	        echo "SKIPPED: nobody compiles for $$target; rustup target add $$target" >&2; \
	    fi; \
	done

# A thousand probes, floods of output, a lack of memory, panics, and the sanitizers where there is a nightly Rust; the
# Python package built as a wheel and from its sources; the release archives, twice.
test-long: build $(CACHE)/python/installed
	MCPD_LIBRARY_DIR="$(abspath $(RELEASE))" $(CARGO) test --locked --test host --test dist -- --ignored --nocapture
	$(PYTEST)/test_package.py

# Programs that use the library, the ones that use what it is compared with, and the least that a probe takes.
BENCH := target/bench
BENCH_CFLAGS := -std=gnu11 $(CFLAGS)

$(BENCH)/%: benches/c/%.c benches/c/rounds.h
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $< -o $@

$(BENCH)/calls: benches/c/floor.c

$(BENCH)/host: benches/c/host.c benches/c/rounds.h include/mcp_discover.h $(SONAME)
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -Iinclude $< -o $@ -L$(RELEASE) -lmcp_discover -Wl,-rpath,"$(abspath $(RELEASE))"

.PHONY: $(BENCH)/go-host
$(BENCH)/go-host: $(SONAME)
	cd benches/go && $(GO) build $(GO_DEV) -o "$(abspath $@)" .

target/rmcp/release/rmcp-host: benches/rmcp/src/main.rs benches/rmcp/Cargo.toml benches/rmcp/Cargo.lock
	$(CARGO) build --release --locked --manifest-path benches/rmcp/Cargo.toml --target-dir target/rmcp
	@touch $@

# Libraries of the same shape that do next to nothing.
LEAST := $(addprefix target/least/,empty/release/libleast.so runtime/release/libleast.so)
$(LEAST): target/least/%/release/libleast.so: benches/least/src/lib.rs benches/least/Cargo.toml benches/least/Cargo.lock
	$(CARGO) build --release --locked --manifest-path benches/least/Cargo.toml --target-dir target/least/$* \
	    $(if $(filter runtime,$*),--features runtime)
	@touch $@

$(CACHE)/typescript-host/installed: benches/typescript/package-lock.json benches/typescript/host.mjs
	@mkdir -p $(@D)
	cp benches/typescript/*.json benches/typescript/host.mjs $(@D)
	cd $(@D) && npm ci --silent --no-audit --no-fund
	@touch $@

# Needs Go, Node with npm, and strace besides; about ten minutes.
bench: build $(addprefix $(BENCH)/,server floor calls host load go-host) target/rmcp/release/rmcp-host $(LEAST) \
    $(CACHE)/typescript-host/installed $(CACHE)/modern-server/installed
	$(PYTHON) benches/table.py

clean:
	$(CARGO) clean
	rm -rf $(CACHE)
