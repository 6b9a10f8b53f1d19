# Two commands do everything on a fresh machine with Go, make and Docker:
#   make lab-run   what is missing, both programs, images, the default suite
#   make test      every test, those with containers included
SUITE ?= lab
SIZE ?= default
# A server that others wrote, for the tests of archives in S3.
S3SERVER = github.com/versity/versitygw/cmd/versitygw@v1.8.0
GOTESTSUM = go run gotest.tools/gotestsum@v1.13.0

.PHONY: build needs lab-run test fast golden lint clean

build:
	CGO_ENABLED=0 go build -o bin/ ./cmd/benchlab ./cmd/benchlab-agent

needs:
	@sh .ci/needs

lab-run: needs build
	./bin/benchlab run $(SUITE) --size $(SIZE)

# With the race detector, packages one after the other, since two would share the
# machine's few cores with a measurement; then without it what needs the speed:
# the simulations that prove the error rates, and the cost of large reports.
test: build lint bin/versitygw
	@sh .ci/needs test
	BENCHLAB_DOCKER=1 BENCHLAB_S3=$(CURDIR)/bin/versitygw TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1 \
		$(GOTESTSUM) --format pkgname --jsonfile bin/tests.json -- -race -p 1 -timeout 40m ./...
	BENCHLAB_SIMULATE=1 $(GOTESTSUM) --format pkgname -- -timeout 10m ./lab/stats/... ./lab/report
	go test -run '^$$' -bench Cost -benchtime 2x ./lab/report
	@echo "the ten slowest tests:"; $(GOTESTSUM) tool slowest --num 10 --jsonfile bin/tests.json

bin/versitygw:
	GOBIN=$(CURDIR)/bin CGO_ENABLED=0 go install $(S3SERVER)

# Without Docker, in less than a minute.
fast:
	go test ./...

golden:
	go test ./lab/report ./lab/plan -update

lint:
	@test -z "$$(gofmt -l cmd hosts images lab workloads)" || { gofmt -l cmd hosts images lab workloads; exit 1; }
	go vet ./...

clean:
	rm -rf bin
