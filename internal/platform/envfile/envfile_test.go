package envfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostile values must stay one value of one line, for us and for a shell.
var hostile = []string{"", "plain", "two words", "it's", `say "no"`, `'"$HOME` + "`id`", `back\slash`,
	`\"`, "$(id)", "a#b", " leading", "trailing ", "smtp://u:p%20w@h:587?tls=never", "ünïcödé \u202e rtl",
	"';LECTERN_DEMO=true;'", "=", "a=b"}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.env")
	for _, v := range hostile {
		if err := Write(path, []Change{{Name: "LECTERN_A", Value: v}}); err != nil {
			t.Fatalf("%q: %v", v, err)
		}
		lines, err := Read(path)
		if err != nil || len(lines) != 1 || lines[0].Value != v {
			t.Errorf("%q came back as %v, %v", v, lines, err)
		}
		out, err := exec.Command("sh", "-c", `. "$0"; printf %s "$LECTERN_A"`, path).CombinedOutput()
		if err != nil || string(out) != v {
			t.Errorf("a shell reads %q as %q, %v", v, out, err)
		}
	}
}

func TestNoValueAddsALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.env")
	for _, v := range []string{"a\nLECTERN_DEMO=true", "a\rb", "a\x00b", "a\u2028b", "a\x1bb", "\xff",
		strings.Repeat("a", MostValue+1)} {
		if err := Write(path, []Change{{Name: "LECTERN_A", Value: v}}); err == nil {
			t.Errorf("%.20q was kept", v)
		}
	}
	if err := Write(path, []Change{{Name: "LECTERN_A\nB", Value: "x"}}); err == nil {
		t.Error("a name of two lines was kept")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

func TestMistakesNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"# fine\n\nLECTERN_A=1\nnonsense\n": "line 4: a setting is written as NAME=value",
		"LECTERN_A='open\n":                 "line 1: the quote is not closed",
		`LECTERN_A="x" y`:                   "line 1: something stands behind",
		"lectern_a=1":                       "line 1: a name has capital letters",
		"LECTERN_A=1\nexport LECTERN_B=2":   "line 2: a name has capital letters",
		"LECTERN_A=a\x01b":                  "line 1: a value is one line",
		`LECTERN_A="open\"`:                 "line 1: the quote is not closed",
	} {
		_, err := Parse([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "open") {
			t.Errorf("the value is told: %v", err)
		}
	}
}

func TestOtherLinesStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.env")
	before := "# ours\nLECTERN_A=1\n\nLECTERN_B='two'\nLECTERN_A=3\n; end"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if lines, err := Read(path); err != nil || len(lines) != 2 || lines[1].Value != "3" || lines[1].Number != 5 {
		t.Fatalf("%v, %v", lines, err)
	}
	if err := Write(path, []Change{{Name: "LECTERN_A", Value: "4 5"}, {Name: "LECTERN_C", Value: "6"},
		{Name: "LECTERN_D", Forget: true}, {Name: "LECTERN_B", Forget: true}}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "# ours\nLECTERN_A='4 5'\n\n; end\nLECTERN_C=6\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".settings-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func FuzzFormat(f *testing.F) {
	for _, v := range hostile {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		line, err := Format("LECTERN_A", v)
		if err != nil {
			return
		}
		lines, err := Parse([]byte("LECTERN_Z=1\n" + line + "\nLECTERN_Y=2\n"))
		if err != nil || len(lines) != 3 || lines[1].Value != v {
			t.Fatalf("%q: %v, %v", v, lines, err)
		}
	})
}
