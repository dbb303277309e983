# `make demo` shows the library at work, `make test` runs every test but the slow ones, which `make test-long` runs. All
# fetch what they need themselves.

CARGO ?= cargo
PYTHON ?= python3
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra -pedantic

CACHE := .cache
RELEASE := target/release
LIBRARY := $(RELEASE)/libmcp_discover.so
SONAME := $(RELEASE)/libmcp_discover.so.0
PROBE := $(RELEASE)/examples-c/probe

.PHONY: help demo test test-long lint build clean

help:
	@echo 'make demo                          probe the example server in three roles'
	@echo "make demo SERVER='COMMAND ARG...'  probe any MCP server that speaks over stdio"
	@echo 'make test                          check and test everything that is quick'
	@echo 'make test-long                     what takes minutes: a thousand probes, floods, sanitizers'

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
	$(PROBE) $(SERVER)
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
test: lint build $(CACHE)/modern-server/installed $(CACHE)/legacy-server/installed
	MCPD_LIBRARY_DIR=$(abspath $(RELEASE)) REAL_SERVERS=$(abspath $(CACHE)) PYTHON=$(PYTHON) \
	    $(CARGO) test --locked

# A thousand probes, floods of output, a lack of memory, panics, and the address sanitizer where there is a nightly Rust.
test-long: build
	MCPD_LIBRARY_DIR=$(abspath $(RELEASE)) $(CARGO) test --locked --test host -- --ignored --nocapture

clean:
	$(CARGO) clean
	rm -rf $(CACHE)
