package main

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"scenario/internal/chat"
	"scenario/internal/spec"
)

// connection is a client for a target, and everything secret about it.
type connection struct {
	client   *chat.Client
	clock    chat.Clock
	redactor *chat.Redactor
	baseURLs []string // as they may be printed
	notes    []string
}

// newConnection makes the client that a scenario's target describes.
func newConnection(t *spec.Target) (*connection, error) {
	c := &connection{clock: chat.NewClock()}
	config := chat.Config{
		KeyHeader: t.APIKeyHeader, Headers: map[string]string{}, Clock: c.clock,
		UserAgent: "scenario/" + version(),
		Timeouts:  chat.Timeouts{Connect: t.Timeouts.Connect, FirstToken: t.Timeouts.FirstToken, Idle: t.Timeouts.Idle, Request: t.Timeouts.Request},
	}
	var secrets []string
	for _, raw := range t.BaseURLs {
		u, err := chat.ParseBaseURL(raw.String())
		if err != nil {
			return nil, err
		}
		config.BaseURLs = append(config.BaseURLs, u)
		c.baseURLs = append(c.baseURLs, chat.Redacted(u))
		secrets = append(secrets, urlSecrets(u)...)
	}
	if name := t.APIKeyEnv.String(); name != "" {
		config.Key = os.Getenv(name)
		secrets = append(secrets, config.Key)
		if config.Key == "" {
			c.notes = append(c.notes, name+" is not set: no key is sent")
		}
	}
	for _, h := range t.Headers {
		config.Headers[h.Name] = h.Value.String()
		secrets = append(secrets, h.Value.String())
	}
	var err error
	if config.TLS, err = tlsConfig(&t.TLS); err != nil {
		return nil, err
	}
	if config.Proxy, err = proxy(t.Proxy.String(), &secrets); err != nil {
		return nil, err
	}
	c.redactor = chat.NewRedactor(secrets)
	c.client, err = chat.New(config)
	return c, err
}

// urlSecrets are the parts of a URL that must not be printed.
func urlSecrets(u *url.URL) []string {
	var secrets []string
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.Username(), password)
	}
	for name, values := range u.Query() {
		if name != "api-version" {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}

// proxy is how requests reach the target: by the environment's proxy (never for
// loopback addresses), by none, or by the one named.
func proxy(setting string, secrets *[]string) (func(*http.Request) (*url.URL, error), error) {
	switch setting {
	case "", "env":
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			if u, err := url.Parse(os.Getenv(name)); err == nil {
				*secrets = append(*secrets, urlSecrets(u)...)
			}
		}
		return http.ProxyFromEnvironment, nil
	case "off":
		return nil, nil
	}
	u, err := url.Parse(setting)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("target.proxy: not a URL: write env, off, or http://host:port")
	}
	*secrets = append(*secrets, urlSecrets(u)...)
	return http.ProxyURL(u), nil
}

// tlsConfig is how the target's certificate is checked.
func tlsConfig(t *spec.TLS) (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: t.InsecureSkipVerify}
	if file := t.CAFile.String(); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("target.tls.ca_file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("target.tls.ca_file: %s holds no certificate in PEM form", file)
		}
	}
	if certificate := t.CertFile.String(); certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, t.KeyFile.String())
		if err != nil {
			return nil, fmt.Errorf("target.tls.cert_file: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
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
		if path, _, ok := strings.Cut(s, "="); ok && (strings.HasPrefix(path, "target.") || path == "target") && path != "target.model" {
			masked[i] = path + "=…"
		}
	}
	return masked
}
