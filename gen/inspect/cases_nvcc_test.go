package inspect_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/testenv"
)

var (
	cases = flag.Int("cases", 600, "how many random cases are compared with a compiler")
	seed  = flag.Uint64("seed", 20250701, "of the random cases")
)

// compile returns the PTX of CUDA source, or what the compiler says against it.
func compile(t testing.TB, source string) ([]byte, error) {
	t.Helper()
	nvcc := testenv.NVCCPath(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.cu"), filepath.Join(dir, "out.ptx")
	require.NoError(t, os.WriteFile(in, []byte(source), 0o666))
	text, err := exec.Command(nvcc, "-w", "-ptx", "-arch=compute_75", "-std=c++17", "-o", out, in).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %.3000s", err, text)
	}
	ptx, err := os.ReadFile(out)
	require.NoError(t, err)
	return ptx, nil
}

func program(list []*kernelCase) string {
	var b strings.Builder
	b.WriteString(caseHeaders + caseSpellings)
	for _, c := range list {
		b.WriteString(c.source() + c.probe())
	}
	return b.String()
}

func differences(t testing.TB, list []*kernelCase) ([]layoutDifference, error) {
	t.Helper()
	ptx, err := compile(t, program(list))
	if err != nil {
		return nil, err
	}
	return layoutDifferences(list, ptx)
}

// shown is how many differences are made small: each takes some seconds.
const shown = 3

// batch is how many cases one run of a compiler gets.
const batch = 300

// Random classes and parameters lie where nvcc has them, field by field.
func TestLayoutsAgainstNVCC(t *testing.T) {
	testenv.Toolkit(t, 13) // double4_16a
	g := newCaseGenerator(*seed)
	for done := 0; done < *cases; {
		var list []*kernelCase
		for ; len(list) < batch && done < *cases; done++ {
			list = append(list, g.next())
		}
		found, err := differences(t, list)
		require.NoError(t, err)
		for i, d := range found {
			t.Error(d.Text)
			if i < shown {
				fails := func(c *kernelCase) bool {
					found, err := differences(t, []*kernelCase{c})
					return err == nil && len(found) > 0
				}
				t.Error("made small:\n" + minimiseCase(d.Case, fails).source())
			}
		}
	}
	t.Logf("%d cases, %d more classes refused", *cases, g.Refused)
}

// A wrong class is found and made small.
func TestDifferenceIsFound(t *testing.T) {
	testenv.Toolkit(t, 13) // double4_16a
	g := newCaseGenerator(*seed)
	var list []*kernelCase
	for range 20 {
		list = append(list, g.next())
	}
	i := slices.IndexFunc(list, func(c *kernelCase) bool { return len(c.Classes) > 2 && len(c.Params) > 2 })
	require.GreaterOrEqual(t, i, 0)
	wrong := list[i]
	source := program(list)
	double := ctype.Field{Name: "more", Type: ctype.Builtin(ctype.Double)}
	wrong.Classes[1].Fields = append(wrong.Classes[1].Fields, double)
	ptx, err := compile(t, source)
	require.NoError(t, err)
	found, err := layoutDifferences(list, ptx)
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, d := range found {
		assert.Same(t, wrong, d.Case)
		assert.Contains(t, d.Text, wrong.Name)
	}
}

func TestMinimise(t *testing.T) {
	g := newCaseGenerator(1)
	holdsDouble := func(c *kernelCase) bool {
		return slices.ContainsFunc(c.Classes, func(class *caseClass) bool {
			return slices.ContainsFunc(class.Fields, func(f ctype.Field) bool { return f.Type == ctype.Type(ctype.Builtin(ctype.Double)) })
		})
	}
	c := g.next()
	for !holdsDouble(c) || len(c.Classes) < 3 {
		c = g.next()
	}
	before := c.source()
	small := minimiseCase(c, holdsDouble)
	assert.True(t, holdsDouble(small))
	assert.Len(t, small.Classes, 1)
	assert.Len(t, small.Classes[0].Fields, 1)
	assert.Empty(t, small.Params)
	assert.Equal(t, before, c.source(), "the case itself is left alone")
}

// What is refused has a reason, and the generator reaches every form of class.
func TestGeneratorReachesEveryForm(t *testing.T) {
	g := newCaseGenerator(*seed)
	seen := map[string]int{}
	count := func(name string, is bool) {
		if is {
			seen[name]++
		}
	}
	for range 400 {
		c := g.next()
		for name, text := range map[string]string{
			"alias template": "spell::Same<", "class template": "spell::Box<", "member of a template": "typename spell::Traits<", "macro": "SPELL(",
			"line continuation": "\\\n", "namespace": "namespace in_", "reference": " &p", "nested arrays": "][", "function pointer": "(*",
			"scoped enumeration": "enum class", "underlying type": " : unsigned char", "pragma pack": "#pragma pack",
		} {
			count(name, strings.Contains(c.source(), text))
		}
		for _, class := range c.Classes {
			_, err := layout.Struct(class.Struct)
			require.NoError(t, err)
			count("union", class.Union)
			count("bases", len(class.Bases) > 0)
			count("several bases", len(class.Bases) > 1)
			count("packed", class.Packed)
			count("pack", class.Pack != 0)
			count("aligned", class.Align != 0)
			count("private", class.Private)
			count("empty", len(class.Fields) == 0)
			count("no POD", class.POD == ctype.PODNo)
			count("unsure POD", class.POD == ctype.PODUnsure)
			for _, f := range class.Fields {
				count("bit-field", f.BitField)
				count("unnamed", f.Name == "" && !f.BitField)
				count("aligned field", f.Align != 0)
				count("packed field", f.Packed)
			}
		}
	}
	assert.Len(t, seen, 26)
	for form, n := range seen {
		assert.Greater(t, n, 5, form)
	}
}
