package ptx

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// versions are those of the PTX ISA from LeastVersion on that CUDA 13.0 knows.
var versions = []Version{
	{6, 3}, {6, 4}, {6, 5}, {7, 0}, {7, 1}, {7, 2}, {7, 3}, {7, 4}, {7, 5}, {7, 6}, {7, 7}, {7, 8},
	{8, 0}, {8, 1}, {8, 2}, {8, 3}, {8, 4}, {8, 5}, {8, 6}, {8, 7}, {8, 8}, {9, 0},
}

// below returns the version before v.
func below(v Version) Version {
	if i := slices.Index(versions, v); i > 0 {
		return versions[i-1]
	}
	return Version{6, 2}
}

// ptxas returns what ptxas, which lies beside nvcc, has against a module: "" when it
// takes it.
func ptxas(t *testing.T, arch, module string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.ptx")
	require.NoError(t, os.WriteFile(path, []byte(module), 0o600))
	text, err := exec.Command(filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas"), "-arch="+arch, path, "-o", path+".cubin").CombinedOutput()
	if err == nil {
		return ""
	}
	require.NotEmpty(t, text, "%v", err)
	return string(text)
}

// ptxas takes no semicolon that ends nothing, and reads a .loc up to its arguments: so does Parse.
func TestPtxasEndsStatementsAsParseDoes(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n"
	for text, takes := range map[string]bool{
		".entry k() { ret; }":                                 true,
		".entry k() { ret; };":                                false,
		".entry k() { ret;; }":                                false,
		".entry k() { ; ret; }":                               false,
		".entry k() { {} ret; }":                              true,
		".entry k() { {}; ret; }":                             false,
		".entry k() { { .reg .u32 a; mov.u32 a, 1; }; ret; }": false,
		".entry k() { .reg .u32 a;; ret; }":                   false,
		".entry k() { .pragma \"nounroll\";; ret; }":          false,
		".entry k() { bra L; L: }":                            true,
		".entry k() { L: ; bra L; }":                          false,
		"; .entry k() { ret; }":                               false,
		".extern .func f();; .entry k() { ret; }":             false,
		".global .u32 x;; .entry k() { ret; }":                false,
		".entry k() { ret; } .section .debug_str { .b8 0 };":  false,
		".entry k() { .loc 1 2 3 ret; }":                      true,
		".entry k() { .loc 1\n2\n3 ret; }":                    true,
		".entry k() { .loc 1 2 3; ret; }":                     false,
		".entry k() { .loc 1 2\nret; }":                       false,
	} {
		out := ptxas(t, "sm_80", head+text)
		assert.Equal(t, takes, out == "", "%s: ptxas: %s", text, out)
		_, err := Parse("k.ptx", []byte(head+text))
		assert.Equal(t, takes, err == nil, "%s: Parse: %v", text, err)
	}
}

// expand calls yield with every instruction that a form stands for.
func expand(f Form, yield func(words []string)) {
	for _, op := range f.Opcodes {
		expandModifiers(f.mods, []string{op}, yield)
	}
}

func expandModifiers(places []modifier, words []string, yield func([]string)) {
	if len(places) == 0 {
		yield(words)
		return
	}
	for _, name := range places[0].alternatives {
		expandModifiers(places[1:], append(words[:len(words):len(words)], name), yield)
	}
	if places[0].optional {
		expandModifiers(places[1:], words, yield)
	}
}

// A sample is an instruction of isaTable with operands.
type sample struct {
	text string
	row  int
	want Version
}

// registersOf is the letter of the registers that %t stands for, by the type.
var registersOf = map[string]string{
	"b16": "h", "u16": "h", "s16": "h", "f16": "h", "bf16": "h",
	"b32": "r", "u32": "r", "s32": "r", "f32": "r", "f16x2": "r", "bf16x2": "r", "tf32": "r", "u16x2": "r", "s16x2": "r",
	"b64": "l", "u64": "l", "s64": "l", "f64": "l", "f32x2": "l", "b128": "q", "pred": "p",
}

func samples(t *testing.T) (list []sample, rows []string) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(isaTable)) {
		version, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, operands, _ := strings.Cut(rest, " ")
		var want Version
		if _, err := fmt.Sscanf(version, "%d.%d", &want.Major, &want.Minor); err != nil {
			panic(err)
		}
		expand(ParseForm(text), func(words []string) {
			typ := words[len(words)-1]
			if strings.Contains(operands, "%t") { // without its register ptxas would refuse the instruction in each version
				require.Contains(t, registersOf, typ, "%s", line)
			}
			own := strings.ReplaceAll(operands, "%t", "%"+registersOf[typ])
			list = append(list, sample{strings.Join(words, ".") + " " + own, len(rows), want})
		})
		rows = append(rows, line)
	}
	return list, rows
}

// refused returns which of the instructions ptxas refuses in a module of a version, other
// than because of the target.
//
// ptxas reports every line that is wrong, also when the version does not have the target.
func refused(t *testing.T, list []sample, target string, v Version) map[int]bool {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, ".version %v\n.target %s\n.address_size 64\n.func f() { ret; }\n.visible .entry k()\n{\n", v, target)
	b.WriteString(".reg .b16 %h<7>; .reg .b32 %r<12>; .reg .b64 %l<12>; .reg .pred %p<5>;\n")
	if !v.Less(Version{8, 3}) {
		b.WriteString(".reg .b128 %q<3>;")
	}
	b.WriteString("\nL1:\nL2: .branchtargets L1;\n")
	before := strings.Count(b.String(), "\n") + 1
	for _, s := range list {
		b.WriteString(s.text + ";\n")
	}
	b.WriteString("ret;\n}\n")
	bad := make(map[int]bool)
	for _, m := range ptxasLine.FindAllStringSubmatch(ptxas(t, strings.TrimSuffix(target, "!"), b.String()), -1) {
		line, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		if strings.Contains(m[2], "requires .target") || strings.Contains(m[2], "does not support .target") {
			continue
		}
		require.True(t, before <= line && line < before+len(list), m[0])
		bad[line-before] = true
	}
	return bad
}

var ptxasLine = regexp.MustCompile(`line (\d+); (?:error|fatal)\s*: (.*)`)

// ptxas is the oracle of the table: every instruction that a row stands for is taken in the
// version that the row says and refused in the one before, or is none in any version.
func TestTableAgainstPtxas(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	all, rows := samples(t)
	valid := make([]int, len(rows))
	left := all
	for _, target := range []string{"sm_100a", "sm_90a", "sm_75"} {
		for _, v := range versions {
			if len(left) == 0 {
				break
			}
			bad := refused(t, left, target, v)
			var still []sample
			for i, s := range left {
				if bad[i] {
					still = append(still, s)
					continue
				}
				valid[s.row]++
				assert.Equal(t, v.String(), s.want.String(), "%s: ptxas takes it from the one, the table says the other", s.text)
			}
			left = still
		}
	}
	for i, row := range rows {
		assert.NotZero(t, valid[i], "no instruction of the row exists: %s", row)
	}
	assert.Greater(t, len(all)-len(left), 10000)
}

// takes reports whether ptxas takes a module, with the version v, apart from its target.
func takes(t *testing.T, v Version, target, text string) bool {
	t.Helper()
	out := ptxas(t, target, fmt.Sprintf(".version %v\n.target %s\n.address_size 64\n%s", v, target, text))
	for _, m := range ptxasLine.FindAllStringSubmatch(out, -1) {
		if !strings.Contains(m[2], "requires .target") && !strings.Contains(m[2], "does not support .target") {
			return false
		}
	}
	return true
}

// The same for what is no instruction.
func TestNamesAgainstPtxas(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	check := func(t *testing.T, name, text string, v Version) {
		t.Helper()
		assert.True(t, takes(t, v, "sm_100a", text), "%s in %v", name, v)
		if v != LeastVersion {
			assert.False(t, takes(t, below(v), "sm_100a", text), "%s in %v", name, below(v))
		}
	}
	entry := ".visible .entry k()%s\n{\n.reg .b32 %%r; .reg .b64 %%l;\n%s\nret;\n}\n"
	t.Run("special registers", func(t *testing.T) {
		for name, v := range specialRegisters {
			instruction := "mov.u32 %r, " + name
			switch name {
			case "%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid":
				instruction += ".x"
			case "%clock64", "%globaltimer", "%current_graph_exec", "%gridid":
				instruction = "mov.u64 %l, " + name
			case "%is_explicit_cluster":
				instruction = ".reg .pred %p;\nmov.pred %p, " + name
			}
			check(t, name, fmt.Sprintf(entry, "", instruction+";"), v)
		}
	})
	t.Run("directives", func(t *testing.T) {
		for name, v := range attributes {
			values := map[string]string{
				"maxntid": "8,4,2", "reqntid": "8", "minnctapersm": "2\n.maxntid 128", "maxnreg": "32",
				"reqnctapercluster": "2", "explicitcluster": "\n.reqnctapercluster 2", "maxclusterrank": "2",
			}[name]
			text := fmt.Sprintf(entry, "\n."+name+" "+values, "")
			if name == "noreturn" {
				text = ".func f() .noreturn\n{\nexit;\n}\n"
			}
			check(t, name, text, v)
		}
	})
	t.Run("types", func(t *testing.T) {
		for name, v := range variableTypes {
			space := ".reg"
			if strings.HasSuffix(name, "ref") {
				continue // of the module, and of old textures
			}
			check(t, name, fmt.Sprintf(entry, "", space+" ."+name+" %x;"), v)
		}
	})
	t.Run("others", func(t *testing.T) {
		check(t, "managed", ".global .attribute(.managed) .u32 x;", LeastVersion)
		check(t, "mask", ".global .u32 y;\n.global .u8 x[2] = {0xff(y), 0xff00(y)};", Version{7, 1})
		check(t, "nounroll", fmt.Sprintf(entry, "", ".pragma \"nounroll\";"), LeastVersion)
		check(t, "large parameters", ".visible .entry k(.param .b8 a[4353])\n{\nret;\n}\n", Version{8, 1})
		check(t, "parameters", ".visible .entry k(.param .b8 a[4352])\n{\nret;\n}\n", LeastVersion)
		// This ptxas takes inlined_at in every version, but its document says 7.2.
		assert.True(t, takes(t, Version{7, 2}, "sm_100a", ".file 1 \"a.cu\"\n"+fmt.Sprintf(entry, "", ".loc 1 1 1\n.loc 1 2 1, function_name $x, inlined_at 1 1 1\nmov.b32 %r, 1;")+".section .debug_str { $x: .b8 97, 0 }\n"))
	})
	t.Run("targets", func(t *testing.T) {
		for target, v := range targets {
			number, found := strings.CutPrefix(target, "sm_")
			if n, _ := strconv.Atoi(strings.TrimRight(number, "af")); !found || n < 75 {
				continue // an option, or too old for ptxas
			}
			module := ".version %v\n.target " + target + "\n.address_size 64\n.visible .entry k() { ret; }\n"
			assert.Empty(t, ptxas(t, target, fmt.Sprintf(module, v)))
			assert.Contains(t, ptxas(t, target, fmt.Sprintf(module, below(v))), "does not support .target", target)
		}
	})
}

// What compilers write is known, and taken by ptxas in the version that MinVersion says,
// and in none below.
func TestLowered(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	wide, example := filepath.Join("testdata", "wide.cu"), filepath.Join("..", "..", "example", "kernels.cu")
	for source, archs := range map[string][]string{wide: {"75", "80", "90", "100"}, example: {"75"}} {
		for _, arch := range archs {
			t.Run(filepath.Base(source)+" "+arch, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "k.ptx")
				out, err := exec.Command(nvcc, "-w", "-std=c++17", "-ptx", "-arch=compute_"+arch, source, "-o", path).CombinedOutput()
				require.NoError(t, err, "%s", out)
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				module, err := Parse("k.ptx", text)
				require.NoError(t, err)
				least, unknown := MinVersion(module)
				require.Empty(t, unknown)
				assert.True(t, least.Less(module.Version), "%v", least)
				lowered, err := SetVersion("k.ptx", text, least)
				require.NoError(t, err)
				assert.Empty(t, ptxas(t, "sm_"+arch, string(lowered)), "%v", least)
				lower, err := SetVersion("k.ptx", text, below(least))
				require.NoError(t, err)
				assert.NotEmpty(t, ptxas(t, "sm_"+arch, string(lower)), "%v", below(least))
			})
		}
	}
}

func TestMinVersion(t *testing.T) {
	body := func(text string) string {
		return ".version 9.0\n.target sm_75\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<5>, named; .reg .b16 %h<5>; .reg .pred %p<3>;\n" + text + "\n}\n"
	}
	for _, tt := range []struct {
		name, text string
		want       string
		unknown    string
	}{
		{"nothing new", body("add.s32 %r1, %r2, named;\n@%p1 bra L;\nL: mov.u32 %r1, %tid.x; ret;"), "6.3", ""},
		{"one instruction", body("add.s32 %r1, %r2, %r3; redux.sync.add.s32 %r1, %r2, %r3;"), "7.0", ""},
		{"inside of a block", body("{ fma.rn.bf16 %h1, %h2, %h3, %h4; { add.bf16 %h1, %h2, %h3; } }"), "7.8", ""},
		{"special register", body("mov.u32 %r1, %clusterid.x;"), "7.8", ""},
		{"in an address", body("ld.u32 %r1, [%clock];"), "6.3", ""},
		{"unknown instruction", body("frobnicate.s32 %r1, %r2;"), "6.3", "k.ptx:6:1 instruction frobnicate.s32"},
		{"unknown modifier", body("add.rn.s32 %r1, %r2, %r3;"), "6.3", "instruction add.rn.s32"},
		{"modifier missing", body("add %r1, %r2, %r3;"), "6.3", "instruction add"},
		{"unknown register", body("mov.u32 %r1, %r9x;"), "6.3", "special register %r9x"},
		{"unknown register in a vector", body("ld.v2.u32 {%r1, %nope}, [a];"), "6.3", "special register %nope"},
		{"pragma", body(".pragma \"nounroll\";"), "6.3", ""},
		{"unknown pragma", body(".pragma \"magic\";"), "6.3", `pragma "magic"`},
		{"unknown pragma of the module", ".version 9.0\n.target sm_75\n.pragma \"magic\";\n", "6.3", `k.ptx:3:9 pragma "magic"`},
		{"line", body(".loc 1 2 3\n.loc 1 2 3, function_name $x, inlined_at 1 2 3\n"), "7.2", ""},
		{"target", ".version 9.0\n.target sm_90a, debug\n", "8.0", ""},
		{"unknown target", ".version 9.9\n.target sm_130\n", "6.3", "target sm_130"},
		{"cluster", ".version 9.0\n.target sm_90\n.entry k() .reqnctapercluster 2, 1, 1 { ret; }", "7.8", ""},
		{"unknown directive", ".version 9.0\n.target sm_90\n.entry k() .blocksareclusters { ret; }", "7.8", "directive blocksareclusters"},
		{"large parameters", ".version 9.0\n.target sm_75\n.entry k(.param .b8 a[4353]) { ret; }", "8.1", ""},
		{"wide register", ".version 9.0\n.target sm_75\n.func f() { .reg .b128 %q; ret; }", "8.3", ""},
		{"unknown type", ".version 9.0\n.target sm_75\n.func f() { .reg .e4m3 %q; ret; }", "6.3", "type e4m3"},
		{"mask", ".version 9.0\n.target sm_75\n.global .u8 x[2] = {0xff(x), 0xff00(x)};", "7.1", ""},
		{"prototype", body("P: .callprototype _ (.param .b32 _) .noreturn;"), "6.4", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			module, err := Parse("k.ptx", []byte(tt.text))
			require.NoError(t, err)
			least, unknown := MinVersion(module)
			assert.Equal(t, tt.want, least.String())
			if tt.unknown == "" {
				assert.Empty(t, unknown)
				return
			}
			require.Len(t, unknown, 1)
			assert.Contains(t, unknown[0].Pos.String()+" "+unknown[0].What, tt.unknown)
		})
	}
}

func TestSetVersion(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{".version 9.0\n.target sm_75\n", ".version 7.8\n.target sm_75\n"},
		{"//\n// .version 9.9\n/* .version 1.0 */ .version\t9.0// x\r\n.version 9.0", "//\n// .version 9.9\n/* .version 1.0 */ .version\t7.8// x\r\n.version 9.0"},
		{".version 10.11\x00", ".version 7.8\x00"},
	} {
		got, err := SetVersion("k.ptx", []byte(tt.text), Version{7, 8})
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(got))
	}
	for text, want := range map[string]string{
		"":                 "k.ptx:1:1: found end of file, want .version",
		".target sm_75":    "k.ptx:1:1: found .target, want .version",
		".version sm_75":   "k.ptx:1:10: found sm_75, want a version",
		"/* .version 9.0 ": "comment is not closed",
	} {
		_, err := SetVersion("k.ptx", []byte(text), Version{7, 8})
		assert.ErrorContains(t, err, want)
	}
}

func FuzzMinVersion(f *testing.F) {
	f.Add(".version 9.0\n.target sm_75\n.entry k(.param .u64 a) { .reg .b32 %r<3>; add.s32 %r1, %r2, {%r1, _}; @%p bra L; L: .pragma \"x\"; }")
	names := slices.Sorted(maps.Keys(specialRegisters))
	f.Add(".version 9.0\n.func f() { mov.u32 " + strings.Join(names, ", ") + "; }")
	f.Fuzz(func(t *testing.T, text string) {
		if changed, err := SetVersion("k.ptx", []byte(text), Version{7, 8}); err == nil {
			if _, err := SetVersion("k.ptx", changed, Version{9, 0}); err != nil {
				t.Errorf("changed once: %v", err)
			}
		}
		module, err := Parse("k.ptx", []byte(text))
		if err != nil {
			return
		}
		if least, _ := MinVersion(module); least.Less(LeastVersion) {
			t.Errorf("least version %v", least)
		}
	})
}
