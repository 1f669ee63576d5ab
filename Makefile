# Everything here needs Go alone, but for e2e, which needs real servers.
GO ?= go
FUZZTIME ?= 20s

.PHONY: build test race lint fuzz bench bench-micro bench-clock schema demo e2e ci

build: ## the program, in bin/
	$(GO) build -o bin/scenario ./cmd/scenario

test: ## what every change must pass
	$(GO) test ./...

race: ## the same with the race detector
	$(GO) test -race ./...

lint: ## format, vet, staticcheck
	@test -z "$$($(GO) tool gofumpt -l .)" || { $(GO) tool gofumpt -d . ; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags e2e ./e2e
	$(GO) tool staticcheck ./...

fuzz: ## every fuzz target for FUZZTIME
	@$(GO) list -f '{{.ImportPath}}' ./... | while read -r package; do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package || exit 1; \
	  done; \
	done

bench: bench-micro bench-clock ## both of the next two

bench-micro: ## hot paths: stream reader, checks, simulated server
	$(GO) test -run '^$$' -bench . -benchmem ./internal/...

bench-clock: ## the client against a null server: how true its times are, and what they cost
	$(GO) run ./bench

schema: ## the JSON Schemas that editors and other tools point at
	$(GO) run ./cmd/scenario schema > schema/scenario.schema.json
	$(GO) run ./cmd/scenario schema --result > schema/result.schema.json

demo: ## a scenario judged, on the simulated server
	$(GO) run ./cmd/scenario run scenarios/quickstart.yaml --simulate

e2e: ## the scenarios against real servers: ENGINES=folder, or VLLM_URL=http://host:port
	$(GO) test -tags e2e -count 1 -timeout 60m -v ./e2e

ci: lint race
