package chat

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
)

// proxyRefusal is a proxy's answer to CONNECT that is not 200.
type proxyRefusal struct{ status int }

func (e *proxyRefusal) Error() string {
	return fmt.Sprintf("the proxy answered HTTP %d %s", e.status, http.StatusText(e.status))
}

// connectFault is the fault of a connection that could not be opened. permanent
// says that trying again cannot help.
func connectFault(err error) (f *fault, permanent bool) {
	var (
		refusal *proxyRefusal
		name    *net.DNSError
		op      *net.OpError
	)
	if errors.As(err, &op) && op.Op == "proxyconnect" {
		f, permanent = connectFault(op.Err)
		f.message = "proxy: " + f.message
		return f, permanent
	}
	f = &fault{failure: ConnectError}
	if f.message = tlsText(err); f.message != "" {
		return f, true
	}
	switch {
	case errors.As(err, &refusal):
		f.message = refusal.Error()
	case errors.As(err, &name):
		f.message = fmt.Sprintf("cannot resolve the host name %q: %s", name.Name, OneLine(name.Err, maxMessage))
	case errors.As(err, &op) && op.Op == "dial" && op.Addr != nil:
		f.message = fmt.Sprintf("cannot connect to %s: %s", op.Addr, causeText(op.Err))
	default:
		f.message = "cannot connect: " + causeText(err)
	}
	return f, false
}

func causeText(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	if isLost(err) {
		return lostText(err)
	}
	return plainText(err)
}

// tlsText says what TLS refused, and which key of the scenario would change it;
// it is empty if err is about something else.
func tlsText(err error) string {
	var (
		header   tls.RecordHeaderError
		verify   *tls.CertificateVerificationError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &header), errors.Is(err, http.ErrSchemeMismatch):
		return "TLS: the server does not speak TLS on this port; write http:// in base_url"
	case errors.As(err, &hostname):
		return fmt.Sprintf("TLS: the server's certificate is not for %q; write a name it is for in base_url%s",
			hostname.Host, certificateNames(hostname.Certificate))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS: the server's certificate has expired or is not yet valid"
	case errors.As(err, &verify):
		return "TLS: the server's certificate is not trusted (" + plainText(verify.Err) +
			"); set target.tls.ca_file to the file of the CA that signed it"
	case strings.Contains(err.Error(), remoteAlert):
		return "TLS: the server refused: " + alertText(err.Error())
	case strings.Contains(err.Error(), "tls: "):
		return "TLS: " + plainText(err)
	}
	return ""
}

func certificateNames(c *x509.Certificate) string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + OneLine(strings.Join(names, ", "), maxMessage) + ")"
}

// remoteAlert begins the text of an alert that the server sent. Package tls has
// no value for it.
const remoteAlert = "remote error: tls: "

// alertText is the alert in an error's text. The alerts about a certificate mean
// that of the client, or that it has none.
func alertText(s string) string {
	_, alert, _ := strings.Cut(s, remoteAlert)
	alert = OneLine(alert, maxMessage)
	if strings.Contains(alert, "certificate") {
		alert += "; if it asks for a client certificate, set target.tls.cert_file and key_file"
	}
	return alert
}
