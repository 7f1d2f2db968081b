# SPDX-License-Identifier: Apache-2.0
# The front door: short names for the presets of CMakePresets.json.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
MATRIX ?=
CYCLES ?= 1000
JOBS := $(shell nproc 2>/dev/null || echo 2)

# Ninja starts far fewer processes than make; a build folder keeps its generator.
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif

# cmake starts a make of its own, which must not inherit our job slots.
ALONE = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
BUILD = $(ALONE) cmake --build --preset $(1) -j $(JOBS)
CONFIGURE = cmake --preset $(1)
# One job more than processors: some tests only wait.
TEST = $(ALONE) ctest --preset $(1) -j $$(($(JOBS) + 1))

.DEFAULT_GOAL := all
.PHONY: all help demo check soak bench firmware firmware-run size install asan
.PHONY: tsan coverage fuzz format clean matrix deb deb-check fleet
.PHONY: fleet-demo

all: build/compile_commands.json ## Build build/bin/tally and build/lib/
	@$(call BUILD,release)

# Tests and benchmarks are off here; check and bench switch them on.
build/compile_commands.json:
	@$(call CONFIGURE,release) >/dev/null

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / \
	    { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## Record a C++ server with memory problems and report them
	@scripts/install-deps build demo
	@mkdir -p build && echo 'building; the log is build/demo.log' >&2
	@$(MAKE) --no-print-directory all >build/demo.log 2>&1 || \
	    { cat build/demo.log >&2; exit 1; }
	@scripts/demo build

check: ## Run all tests and list the skipped ones
	@scripts/install-deps build demo test
	@$(call CONFIGURE,release) -DTALLY_BUILD_TESTS=ON \
	    -DTALLY_BUILD_BENCH=ON -DTALLY_WERROR=ON >/dev/null
	@$(call BUILD,release)
	@$(call TEST,release); status=$$?; \
	    scripts/list-skipped build/results.xml; exit $$status

matrix: ## Compare real programs with their recorded runs (an hour)
	@scripts/install-deps build matrix
	@$(MAKE) --no-print-directory all
	@for compiler in gcc clang; do \
	    passed=build/packages/passed.$$compiler; \
	    [ $$passed -nt build/lib/libtally.so ] && \
	        [ $$passed -nt include/tally/malloc.h ] && continue; \
	    tests/tags/packages '$(CURDIR)' '$(CURDIR)/build/lib' $$compiler \
	        '$(CURDIR)/build/packages' && touch $$passed || exit; done
	@PYTHONPATH=tests/recorder:tests/programs /usr/bin/python3 -B \
	    tests/programs/matrix build --results=build/matrix.json $(MATRIX)

soak: ## Attach 1,000 times; kill 100 groups; 10^9 samples; 500 seeds; 2,000 traces
	@scripts/install-deps build demo test matrix
	@$(call CONFIGURE,release) -DTALLY_BUILD_TESTS=ON >/dev/null
	@$(call BUILD,release)
	@TALLY_DRAWS=1e9 build/tests/unit/test_estimate_schedules
	@TALLY_DRAWS=1e9 build/tests/unit/test_sampler_refused
	@build/tests/unit/test_trace_seeded 2000
	@/usr/bin/python3 -B tests/estimates/coverage.py build \
	    build/tests/estimates/mixture 500
	@for scenario in attached attached_programs blackbox; do \
	    PYTHONPATH=tests/recorder TALLY_SOAK=1 TALLY_ATTACH_KILLS=200 \
	        TALLY_ATTACH_CYCLES=$(CYCLES) /usr/bin/python3 -B \
	        tests/recorder/scenarios/$$scenario.py build \
	        build/tests/recorder/bin || exit; done

fleet-demo: ## Find what grew after a release, in ClickHouse and Prometheus
	@scripts/install-deps build test
	@$(MAKE) --no-print-directory all
	@scripts/fleet-demo build build/fleet

fleet: ## Put 10,000 ledgers of 200 hosts into two ClickHouse servers
	@scripts/install-deps build demo test
	@$(MAKE) --no-print-directory all
	@/usr/bin/python3 -B tests/fleet/fleet.py replicas build 10000 200 100

bench: ## Measure the cost of recording, as in docs/benchmarks.md
	@scripts/install-deps build demo test bench
	@$(call CONFIGURE,release) -DTALLY_BUILD_BENCH=ON >/dev/null
	@$(call BUILD,release)
	@bench/run build

firmware: ## Build the example for a Cortex-M3, build/firmware/station.elf
	@scripts/install-deps build test
	@$(ALONE) cmake -S examples/cortex_m -B build/firmware \
	    -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/CortexM.cmake \
	    -DCONFIG_ZPL_MEMORY_PROFILING_INTERVAL=100 >/dev/null
	@$(ALONE) cmake --build build/firmware -j $(JOBS)

firmware-run: ## Run it in QEMU and check its trace
	@scripts/install-deps build test
	@mkdir -p build && echo 'building; the log is build/firmware-run.log' >&2
	@$(MAKE) --no-print-directory firmware all \
	    >build/firmware-run.log 2>&1 || \
	    { cat build/firmware-run.log >&2; exit 1; }
	@scripts/run-firmware build build/firmware/station.elf

size: ## Print Tally's size on a Cortex-M3; fail if it exceeds its budget
	@scripts/install-deps build test
	@$(ALONE) scripts/firmware-size build/size

install: all ## Install under PREFIX (/usr/local), after DESTDIR if set
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'

deb: ## Build Debian packages of the recorder, the command and the libraries
	@scripts/install-deps build deb
	@$(ALONE) scripts/build-deb build/deb
	@ls build/deb/*.deb

deb-check: ## Build packages twice and use them in a fresh Debian 12; as root
	@scripts/install-deps build deb
	@$(ALONE) tests/house/debian/check_whole build/deb

asan: ## Test with AddressSanitizer and UndefinedBehaviorSanitizer
	@$(ALONE) scripts/check-sanitizer asan build/asan || [ $$? -eq 77 ]

tsan: ## Test with ThreadSanitizer
	@$(ALONE) scripts/check-sanitizer tsan build/tsan || [ $$? -eq 77 ]

coverage: ## Test with gcov and print the lines covered in each file
	@scripts/install-deps build test coverage
	@$(call CONFIGURE,coverage) >/dev/null
	@$(call BUILD,coverage)
	@$(call TEST,coverage)
	@gcovr --root . --exclude 'build/|tests/|bench/|examples/' build/coverage

fuzz: ## Run each libFuzzer target for FUZZ_SECONDS (60)
	@scripts/install-deps build test
	@$(call CONFIGURE,fuzz) >/dev/null
	@$(call BUILD,fuzz) --target fuzz_targets
	@scripts/fuzz build/fuzz $(FUZZ_SECONDS)

format: ## Run clang-format on all sources
	@scripts/list-files | grep -E '\.(c|h|cpp)$$' | xargs clang-format -i

clean: ## Remove build/
	@rm -rf build
