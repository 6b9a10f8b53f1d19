package images

import "testing"

func TestIdentity(t *testing.T) {
	layers := []string{"sha256:aa", "sha256:bb"}
	config := Config{Cmd: []string{"server"}, Env: []string{"A=1", "B=2"}, Labels: map[string]string{"v": "1", IdentityLabel: "x"}}
	base := Identity(layers, config)
	change := func(f func(*Config)) string {
		c := config
		f(&c)
		return Identity(layers, c)
	}
	same := map[string]string{
		"the order of variables": change(func(c *Config) { c.Env = []string{"B=2", "A=1"} }),
		"our own labels":         change(func(c *Config) { c.Labels = map[string]string{"v": "1", PackagesLabel: "p"} }),
		"an empty list":          change(func(c *Config) { c.Ports = []string{} }),
	}
	for what, got := range same {
		if got != base {
			t.Errorf("%s changes the identity", what)
		}
	}
	other := map[string]string{
		"the command":         change(func(c *Config) { c.Cmd = []string{"server", "-x"} }),
		"the user":            change(func(c *Config) { c.User = "1" }),
		"a variable":          change(func(c *Config) { c.Env = []string{"A=1"} }),
		"a label":             change(func(c *Config) { c.Labels = map[string]string{"v": "2"} }),
		"the order of layers": Identity([]string{"sha256:bb", "sha256:aa"}, config),
	}
	for what, got := range other {
		if got == base {
			t.Errorf("%s does not change the identity", what)
		}
	}
	if config.Env[0] != "A=1" || config.Labels[IdentityLabel] != "x" {
		t.Error("Identity changed what it was given")
	}
}
