# The front door. Everything below is CMake (see CMakePresets.json); `make` alone lists the doors.

JOBS ?= $(shell nproc)
TEST_JOBS ?= $(JOBS)
SOURCES = $(shell find include src tests bench examples -name '*.[ch]pp' -not -path '*/node_modules/*')

.DEFAULT_GOAL := help
.PHONY: help setup build run test crash campaign bench bench-peers asan tsan lint format clean

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' $(firstword $(MAKEFILE_LIST)) | column -t -s '|'

setup: ## Install the missing packages (apt), say which
	@scripts/setup.sh

build: setup ## The release program, build/release/holdfast, and the libraries
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j$(JOBS) --target holdfast_installed
	@echo "build/release/holdfast"

run: setup ## Build, then the main job: hash a directory of files, killing a worker half way
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j$(JOBS) --target holdfast_cli checksums
	@build/release/examples/checksums $(ARGS)

test: ## Build with asserts and pass all tests
	@scripts/setup.sh --with-clients
	@scripts/test.sh dev -j$(TEST_JOBS) $(ARGS)

crash: setup ## A kill -9 campaign on both databases, KILLS=10000 each
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j$(JOBS) --target holdfast_crash_tests
	@HOLDFAST_KILLS=$(or $(KILLS),10000) build/release/holdfast_crash_tests \
	  --gtest_filter='KillStorm.*' $(ARGS)

campaign: setup ## The long form of every test that repeats something, for hours; ARGS for the programs
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j$(JOBS) --target holdfast_cli holdfast_conformance_tests \
	  holdfast_crash_tests holdfast_simulation_tests
	@for program in conformance crash simulation; do \
	  HOLDFAST_CAMPAIGN=1 HOLDFAST_BINARY=$(CURDIR)/build/release/holdfast \
	    build/release/holdfast_$${program}_tests $(ARGS) || exit 1; done

asan: ## All tests under the address and undefined behaviour sanitizers
	@scripts/setup.sh --with-clients
	@scripts/test.sh asan -j$(TEST_JOBS) $(ARGS)

tsan: ## All tests under the thread sanitizer
	@scripts/setup.sh --with-clients
	@scripts/test.sh tsan -j$(TEST_JOBS) $(ARGS)

bench: ## Run the benchmarks and write their tables into bench/results.md; ARGS="figures …" for some
	@scripts/setup.sh --with-clients
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j$(JOBS) --target holdfast_bench_programs holdfast_cli
	@scripts/bench.sh $(ARGS)

bench-peers: ## The same work with other queues (npm, redis-server) beside Holdfast, into bench/results.md
	@scripts/setup.sh --with-peers
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j$(JOBS) --target holdfast_peer_driver holdfast_cli
	@scripts/bench.sh peers $(ARGS)

lint: ## Format check, clang's thread-safety analysis and clang-tidy
	@scripts/setup.sh --with-lint
	@clang-format --dry-run --Werror $(SOURCES)
	@cmake --preset tidy --log-level=WARNING
	@cmake --build --preset tidy -j$(JOBS)

format: ## Format the sources in place
	@scripts/setup.sh --with-lint
	@clang-format -i $(SOURCES)

clean: ## Remove the build trees
	@rm -rf build
