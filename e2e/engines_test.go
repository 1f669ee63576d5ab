//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// missing says what the tests want when nothing is set.
const missing = `The end-to-end tests run the scenarios against real servers. Set one of

  ENGINES=FOLDER      a folder with scripts vllm, llamacpp and nginx, each called as
                      "SCRIPT install" once and "SCRIPT start PORT [options]"
                      (nginx: "start PORT UPSTREAM_PORT [tls] [limit]"); ENGINES_DIR
                      says where nginx keeps its ca.pem (default ~/.cache/engines)
  VLLM_URL=URL        a vLLM server that is running, with a model of any kind
  LLAMACPP_URL=URL    a llama.cpp server that is running

for example: make e2e ENGINES=../engines`

// program is the binary under test.
var program string

func TestMain(m *testing.M) {
	if os.Getenv("ENGINES") == "" && os.Getenv("VLLM_URL") == "" && os.Getenv("LLAMACPP_URL") == "" {
		fmt.Fprintln(os.Stderr, missing)
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "scenario-e2e-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "scenario")
	build := exec.Command("go", "build", "-o", program, "../cmd/scenario")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// engine is a server that a test has started.
type engine struct {
	url  string
	port int
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts an engine by its script and waits until it lists its models. The
// test is skipped when there are no scripts.
func start(t *testing.T, script string, args ...string) *engine {
	t.Helper()
	folder := os.Getenv("ENGINES")
	if folder == "" {
		t.Skipf("ENGINES is not set: no %s can be started", script)
	}
	port := freePort(t)
	e := &engine{url: fmt.Sprintf("http://127.0.0.1:%d", port), port: port, done: make(chan struct{})}
	e.cmd = exec.Command(filepath.Join(folder, script), append([]string{"start", strconv.Itoa(port)}, args...)...)
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(t.TempDir(), script+".log"))
	if err != nil {
		t.Fatal(err)
	}
	e.cmd.Stdout, e.cmd.Stderr = log, log
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { e.cmd.Wait(); log.Close(); close(e.done) }()
	t.Cleanup(e.kill)
	return e
}

// ready waits until the engine's models can be listed.
func (e *engine) ready(t *testing.T) *engine {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	for {
		response, err := http.Get(e.url + "/v1/models")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return e
			}
		}
		select {
		case <-time.After(time.Second):
		case <-e.done:
			t.Fatalf("%s ended before it was ready", e.cmd.Path)
		case <-ctx.Done():
			t.Fatalf("%s is not ready: %v", e.cmd.Path, err)
		}
	}
}

// kill ends the engine and its children at once.
func (e *engine) kill() {
	syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL)
	<-e.done
}

// vllm is the address of a vLLM server: one that is running, or a new one.
func vllm(t *testing.T) string {
	if url := os.Getenv("VLLM_URL"); url != "" {
		return url
	}
	return start(t, "vllm").ready(t).url
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
