package archivetest

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Keys for servers of tests, and the bucket that [MakeBucket] makes.
const (
	Key    = "benchlabtest"
	Secret = "benchlabsentinelsecret"
	Bucket = "archive"
)

// WithKeys gives the key with a secret by the usual environment.
func WithKeys(t testing.TB, secret string) {
	t.Setenv("AWS_ACCESS_KEY_ID", Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
}

// Location names the part of the bucket under a prefix.
func Location(endpoint, prefix string) string {
	return "s3://" + Bucket + "/" + prefix + "?region=us-east-1&endpoint=" + url.QueryEscape(endpoint)
}

// Gateway starts a Versity S3 Gateway, a server that others wrote, over a
// folder on a free port of loopback, and tells its endpoint.
func Gateway(t testing.TB, program string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	args := []string{"--access", Key, "--secret", Secret, "--port", address, "--quiet", "posix"}
	// Where it can, it keeps attributes apart: not every file system has them.
	if out, err := exec.Command(program, "posix", "--help").CombinedOutput(); err == nil && strings.Contains(string(out), "--sidecar") {
		args = append(args, "--sidecar", t.TempDir())
	} else {
		args = append(args, "--nometa")
	}
	cmd := exec.Command(program, append(args, t.TempDir())...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if doc, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("the server said:\n%s", doc)
		}
	})
	return "http://" + address
}

// MakeBucket makes the bucket, as soon as the server answers.
func MakeBucket(t testing.TB, endpoint string) {
	t.Helper()
	c, err := minio.New(strings.TrimPrefix(endpoint, "http://"),
		&minio.Options{Creds: credentials.NewStaticV4(Key, Secret, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	for try := 0; ; try++ {
		err := c.MakeBucket(t.Context(), Bucket, minio.MakeBucketOptions{Region: "us-east-1"})
		if err == nil {
			return
		}
		if try == 100 {
			t.Fatalf("the server did not come up: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
