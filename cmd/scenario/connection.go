package main

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/spec"
)

// connection is a client for a target.
type connection struct {
	client   *chat.Client
	clock    chat.Clock
	baseURLs []string // as they may be printed
	notes    []string
}

// newConnection makes the client that a scenario's target describes. Files are
// found from the scenario's folder.
func newConnection(t *spec.Target, folder string) (*connection, diag.List) {
	c := &connection{clock: chat.NewClock()}
	config := chat.Config{
		KeyHeader: t.APIKeyHeader, Headers: map[string]string{}, Clock: c.clock,
		UserAgent: "scenario/" + version(),
		Timeouts:  chat.Timeouts{Connect: t.Timeouts.Connect, FirstToken: t.Timeouts.FirstToken, Idle: t.Timeouts.Idle, Request: t.Timeouts.Request},
	}
	for _, raw := range t.BaseURLs {
		u, err := chat.ParseBaseURL(raw.String())
		if err != nil {
			return nil, diag.List{whole(raw, err.Error(), "")}
		}
		config.BaseURLs = append(config.BaseURLs, u)
		c.baseURLs = append(c.baseURLs, chat.Redacted(u))
	}
	if name := t.APIKeyEnv.String(); name != "" {
		config.Key = os.Getenv(name)
		if config.Key == "" {
			c.notes = append(c.notes, name+" is not set: no key is sent")
		}
	}
	for _, h := range t.Headers {
		config.Headers[h.Name] = h.Value.String()
	}
	var faults, more diag.List
	config.TLS, faults = tlsConfig(&t.TLS, folder)
	config.Proxy, more = proxy(t.Proxy)
	if faults = append(faults, more...); len(faults) > 0 {
		return nil, faults
	}
	var err error
	if c.client, err = chat.New(config); err != nil {
		return nil, diag.List{t.At.DiagnoseKey("the target cannot be used: "+err.Error(), "")}
	}
	return c, nil
}

// whole is a fault of a text as a whole.
func whole(text spec.Text, message, fix string) diag.Diagnostic {
	return text.Diagnose(0, len([]rune(text.String())), message, fix)
}

// proxy is how requests reach the target: by the environment's proxy (never for
// loopback addresses), by none, or by the one named.
func proxy(setting spec.Text) (func(*http.Request) (*url.URL, error), diag.List) {
	switch setting.String() {
	case "", "env":
		return http.ProxyFromEnvironment, nil
	case "off":
		return nil, nil
	}
	u, err := url.Parse(setting.String())
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, diag.List{whole(setting, "this is no URL of a proxy", "write env, off, or http://host:port")}
	}
	return http.ProxyURL(u), nil
}

// tlsConfig is how the target's certificate is checked.
func tlsConfig(t *spec.TLS, folder string) (*tls.Config, diag.List) {
	config := &tls.Config{InsecureSkipVerify: t.InsecureSkipVerify}
	var faults diag.List
	if file := t.CAFile; !file.Empty() {
		pem, err := os.ReadFile(beside(folder, file))
		config.RootCAs = x509.NewCertPool()
		switch {
		case err != nil:
			faults = append(faults, whole(file, "the file can't be read: "+plain(err), "the path is relative to the scenario's folder"))
		case !config.RootCAs.AppendCertsFromPEM(pem):
			faults = append(faults, whole(file, "the file holds no certificate in PEM form", ""))
		}
	}
	if !t.CertFile.Empty() {
		pair, err := tls.LoadX509KeyPair(beside(folder, t.CertFile), beside(folder, t.KeyFile))
		if err != nil {
			faults = append(faults, whole(t.CertFile, "the certificate and its key can't be used: "+plain(err), "cert_file and key_file are PEM files, relative to the scenario's folder"))
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, faults
}

// beside is a path as it is meant in a file of a folder.
func beside(folder string, path spec.Text) string {
	if filepath.IsAbs(path.String()) {
		return path.String()
	}
	return filepath.Join(folder, path.String())
}

// plain is an error about a file without the path and the call.
func plain(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// newNonce makes a run's prompts differ from those of every other run.
func newNonce() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// runID names a run's folder: when it began, which scenario, and a few digits
// that keep two runs of one second apart.
func runID(name string, now time.Time) string {
	return now.UTC().Format("20060102T150405Z") + "-" + strings.Trim(unsafeInNames.ReplaceAllString(name, "-"), "-.") + "-" + newNonce()[:4]
}

// maskOverrides takes the values out of --set options that may hold a secret.
func maskOverrides(set []string) []string {
	masked := make([]string, len(set))
	for i, s := range set {
		masked[i] = s
		path, _, _ := strings.Cut(s, "=")
		inTarget := strings.HasPrefix(path, "target") && path != "target.model" && path != "target.server"
		if inTarget || strings.Contains(path, "body") || strings.HasPrefix(path, "defaults") {
			masked[i] = path + "=…"
		}
	}
	return masked
}
