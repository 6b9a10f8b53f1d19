package archive

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// openS3 prepares a client for s3://bucket/prefix?endpoint=https://host&region=r.
// It asks the server nothing yet.
func openS3(_ context.Context, u *url.URL, o Options) (*Bucket, error) {
	if err := known(u, "endpoint", "region"); err != nil {
		return nil, err
	}
	prefix := strings.Trim(u.Path, "/")
	location := u.Redacted()
	if !bucketName.MatchString(u.Host) || u.User != nil || strings.Contains("/"+prefix+"/", "/../") {
		return nil, refuse(locationHelp, "opening archive %q: it names no bucket", Shown(location))
	}
	host, secure, err := endpoint(u.Query().Get("endpoint"))
	if err != nil {
		return nil, err
	}
	opts := &minio.Options{
		Creds:  chain(),
		Secure: secure, Region: u.Query().Get("region"), Transport: o.Transport, MaxRetries: o.Retries,
	}
	if opts.MaxRetries == 0 {
		opts.MaxRetries = 5
	}
	client, err := minio.New(host, opts)
	if err != nil {
		return nil, fmt.Errorf("opening archive %q: %w", Shown(location), err)
	}
	if prefix != "" {
		prefix += "/"
	}
	return &Bucket{client: client, bucket: u.Host, prefix: prefix, location: location}, nil
}

// chain looks for credentials where other tools do, and asks no server for
// them.
func chain() *credentials.Credentials {
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.EnvMinio{},
		&credentials.FileAWSCredentials{}, &credentials.FileMinioClient{},
	})
}

// endpoint splits an endpoint's URL. Without TLS it must be on this machine.
func endpoint(s string) (host string, secure bool, err error) {
	const advice = "endpoint=https://HOST[:PORT]; http:// only on loopback"
	if s == "" {
		return "s3.amazonaws.com", true, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" {
		return "", false, refuse(advice, "opening archive: endpoint %q is no address of a server", Shown(withoutQuery(s)))
	}
	switch {
	case u.Scheme == "https":
		return u.Host, true, nil
	case u.Scheme == "http" && loopback(u.Hostname()):
		return u.Host, false, nil
	}
	return "", false, refuse(advice, "opening archive: endpoint %q would send runs unencrypted", Shown(s))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
