# `make demo` shows the library at work, `make test` runs everything. Both fetch what they need themselves.

CARGO ?= cargo
PYTHON ?= python3
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra -pedantic

CACHE := .cache
RELEASE := target/release
LIBRARY := $(RELEASE)/libmcp_discover.so
SONAME := $(RELEASE)/libmcp_discover.so.0
PROBE := $(RELEASE)/examples-c/probe

.PHONY: help demo test test-rust test-python lint build clean

help:
	@echo 'make demo                          probe the example server in three roles'
	@echo "make demo SERVER='COMMAND ARG...'  probe any MCP server that speaks over stdio"
	@echo 'make test                          check and test everything'

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

lint: $(CACHE)/tools/installed $(CACHE)/python/installed
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --locked -- -D warnings
	$(CACHE)/tools/bin/ruff check bindings/python examples tests
	$(CACHE)/tools/bin/ruff format --check bindings/python examples tests
	$(CACHE)/python/bin/mypy --config-file bindings/python/pyproject.toml bindings/python/src

test: lint test-rust test-python

# The tests themselves keep their checks for overflow; the library that C programs load is the one that is shipped.
test-rust: build $(CACHE)/modern-server/installed $(CACHE)/legacy-server/installed
	MCPD_LIBRARY_DIR=$(abspath $(RELEASE)) REAL_SERVERS=$(abspath $(CACHE)) PYTHON=$(PYTHON) \
	    $(CARGO) test --locked

# Most tests wait for servers, so there may be more of them than cores. What builds packages goes alone.
PYTEST = PYTHONPATH=bindings/python/src REAL_SERVERS=$(abspath $(CACHE)) \
    $(CACHE)/python/bin/python -m pytest -q -c bindings/python/pyproject.toml bindings/python/tests
test-python: build $(CACHE)/python/installed $(CACHE)/modern-server/installed $(CACHE)/legacy-server/installed
	$(PYTEST) --numprocesses 8 --ignore bindings/python/tests/test_package.py
	$(PYTEST)/test_package.py

clean:
	$(CARGO) clean
	rm -rf $(CACHE)
