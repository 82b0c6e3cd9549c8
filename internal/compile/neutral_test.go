package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNeutralFileNames(t *testing.T) {
	p := paths{
		dirs:     []string{"/u/proj", "/real/proj"},
		toolkits: []string{"/usr/local/cuda", "/u/proj/.venv/cu13"},
		source:   "k.cu",
	}
	for _, tt := range []struct{ name, in, want string }{
		{"user file", `/u/proj/k.cu`, `k.cu`},
		{"user file below", `/u/proj/a/k.cu`, `a/k.cu`},
		{"resolved link", `/real/proj/a/k.cu`, `a/k.cu`},
		{"dots", `/u/proj/a/../inc/./x.h`, `inc/x.h`},
		{"like the user's folder", `/u/project/k.cu`, `k.cu`},
		{"toolkit", `/usr/local/cuda/bin/..//include/crt/math_functions.hpp`, `cuda/include/crt/math_functions.hpp`},
		{"toolkit with targets", `/usr/local/cuda/bin/../targets/x86_64-linux/include/vector_types.h`, `cuda/include/vector_types.h`},
		{"toolkit's deeper include", `/usr/local/cuda/include/cccl/cub/include/x.h`, `cuda/include/cccl/cub/include/x.h`},
		{"toolkit in the user's folder", `/u/proj/.venv/cu13/bin/..//include/x.h`, `cuda/include/x.h`},
		{"system header", `/usr/include/c++/12/cmath`, `cmath`},
		{"relative", `inc/x.h`, `inc/x.h`},
		{"relative and outside", `../../other/x.h`, `x.h`},
		{"octal bytes", `/u/proj/\303\251'q.cu`, `\303\251'q.cu`},
		{"quote and backslash", `/u/proj/a\"b\\c.cu`, `a\"b\\c.cu`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := neutral([]byte("\t.file\t7 \""+tt.in+"\"\n"), p)
			assert.True(t, ok)
			assert.Equal(t, "\t.file\t7 \""+tt.want+"\"\n", string(got))
		})
	}
	t.Run("told apart", func(t *testing.T) {
		const text = ".file 1 \"/x/a/util.cuh\"\n.file 2 \"/x/b/util.cuh\"\n.file 3 \"/y/b/util.cuh\"\n.file 4 \"/x/other.cuh\"\n.file 5 \"/x/inc.cuh\"\n.file 6 \"/u/proj/inc.cuh\"\n.file 7 \"/x/a/util.cuh\"\n"
		got, _ := neutral([]byte(text), p)
		assert.Equal(t, ".file 1 \"x/a/util.cuh\"\n.file 2 \"x/b/util.cuh\"\n.file 3 \"y/b/util.cuh\"\n.file 4 \"other.cuh\"\n.file 5 \"x/inc.cuh\"\n.file 6 \"inc.cuh\"\n.file 7 \"x/a/util.cuh\"\n", string(got))
	})
	t.Run("time and size", func(t *testing.T) {
		got, _ := neutral([]byte(".file 1 \"/u/proj/k.cu\", 1700000000, 42\r\n"), p)
		assert.Equal(t, ".file 1 \"k.cu\"\n", string(got))
	})
	t.Run("comment", func(t *testing.T) {
		const text = "// .file 1 \"/u/proj/k.cu\"\n"
		got, _ := neutral([]byte(text), p)
		assert.Equal(t, text, string(got))
	})
}

func TestNeutralCalls(t *testing.T) {
	const text = "\t{ // callseq %d, 0\n\t{ // callseq %d, 1\n\t} // callseq %d\n\t} // callseq %d\n.b8 9 // callseq 9\n"
	want := fmt.Sprintf(text, 0, 1, 1, 0)
	for _, first := range []int{0, 7, 41} {
		got, ok := neutral(fmt.Appendf(nil, text, first, first+2, first+2, first), paths{source: "k.cu"})
		assert.True(t, ok)
		assert.Equal(t, want, string(got))
	}
}

func TestNeutralNames(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"unnamed namespace",
			"_ZN38_GLOBAL__N__d848fd7a_7_anon_cu__Z3usev2anEPfNS_1AE",
			"_ZN38_GLOBAL__N__01234567_7_anon_cu__Z3usev2anEPfNS_1AE"},
		{"internal linkage around an unnamed namespace",
			"_ZN36_INTERNAL_d848fd7a_7_anon_cu__Z3usev38_GLOBAL__N__d848fd7a_7_anon_cu__Z3usev4globE",
			"_ZN36_INTERNAL_01234567_7_anon_cu__Z3usev38_GLOBAL__N__01234567_7_anon_cu__Z3usev4globE"},
		{"digits in front of the length",
			"_ZN2n133_GLOBAL__N__11b4344c_7_shuf_cu_k12k2EPi",
			"_ZN2n133_GLOBAL__N__01234567_7_shuf_cu_k12k2EPi"},
		{"relocatable code",
			"__nv_static_22__11b4344c_7_shuf_cu_k1__ZN2n133_GLOBAL__N__11b4344c_7_shuf_cu_k12k2EPi",
			"__nv_static_22__01234567_7_shuf_cu_k1__ZN2n133_GLOBAL__N__01234567_7_shuf_cu_k12k2EPi"},
		{"process of four digits",
			"_ZN41_INTERNAL_268e530d_6_pid_cu_7d20af34_643843_GLOBAL__N__268e530d_6_pid_cu_7d20af34_64384globE",
			"_ZN38_INTERNAL_01234567_6_pid_cu_01234567_040_GLOBAL__N__01234567_6_pid_cu_01234567_04globE"},
		{"process of five digits",
			"_ZN42_INTERNAL_a39699fb_6_pid_cu_9583ffca_1000644_GLOBAL__N__a39699fb_6_pid_cu_9583ffca_100064globE",
			"_ZN38_INTERNAL_01234567_6_pid_cu_01234567_040_GLOBAL__N__01234567_6_pid_cu_01234567_04globE"},
		{"process of one digit",
			"_ZN40_GLOBAL__N__268e530d_6_pid_cu_7d20af34_72anEv",
			"_ZN40_GLOBAL__N__01234567_6_pid_cu_01234567_02anEv"},
		{"process in relocatable code",
			"__nv_static_33__a39699fb_6_pid_cu_9583ffca_10006__ZN44_GLOBAL__N__a39699fb_6_pid_cu_9583ffca_100062anEv",
			"__nv_static_29__01234567_6_pid_cu_01234567_0__ZN40_GLOBAL__N__01234567_6_pid_cu_01234567_02anEv"},
		{"process behind digits of another name",
			"_ZN2n144_GLOBAL__N__a39699fb_6_pid_cu_9583ffca_100062anEv",
			"_ZN2n140_GLOBAL__N__01234567_6_pid_cu_01234567_02anEv"},
		{"no process, no symbol",
			"_ZN38_GLOBAL__N__268e530d_6_pid_cu_7d20af342anEv",
			"_ZN40_GLOBAL__N__01234567_6_pid_cu_01234567_02anEv"},
		{"a symbol that looks like the beginning of a process",
			"_ZN45_GLOBAL__N__268e530d_6_pid_cu_deadbeef_1_x_y2anEv",
			"_ZN45_GLOBAL__N__01234567_6_pid_cu_deadbeef_1_x_y2anEv"},
		{"type of a parameter",
			"_Z2ttIN38_GLOBAL__N__d848fd7a_7_anon_cu__Z3usev1AEEvT_Pf_param_0[4]",
			"_Z2ttIN38_GLOBAL__N__01234567_7_anon_cu__Z3usev1AEEvT_Pf_param_0[4]"},
		{"clang's unnamed namespace", "_ZN12_GLOBAL__N_12anEv", "_ZN12_GLOBAL__N_12anEv"},
		{"no length in front", "_INTERNAL_d848fd7a_7_anon_cu_x", "_INTERNAL_d848fd7a_7_anon_cu_x"},
		{"not a token", "_ZN9_INTERNAL_E", "_ZN9_INTERNAL_E"},
		{"file longer than the text", "_ZN38_GLOBAL__N__d848fd7a_999_anon_cu", "_ZN38_GLOBAL__N__d848fd7a_999_anon_cu"},
		{"cut off", "_ZN38_GLOBAL__N__d848", "_ZN38_GLOBAL__N__d848"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(neutralNames([]byte(tt.in), "01234567"))
			assert.Equal(t, tt.want, got)
			assert.Equal(t, got, string(neutralNames([]byte(got), "01234567")), "a second time changes nothing")
		})
	}
}

// byteLines writes text as nvcc writes the strings of debug information.
func byteLines(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch {
		case i%bytesPerLine == 0:
			b.WriteString(".b8 ")
		default:
			b.WriteByte(',')
		}
		fmt.Fprint(&b, text[i])
		if i%bytesPerLine == bytesPerLine-1 || i == len(text)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestNeutralDebugStrings(t *testing.T) {
	section := func(names ...string) string {
		text := "\t.section\t.debug_str\n\t{\n"
		for i, name := range names {
			text += fmt.Sprintf("$L__info_string%d:\n%s", i, byteLines(name+"\x00"))
		}
		return text + "\n\t}\n"
	}
	rewrite := func(text string) string {
		got, ok := neutral([]byte(text), paths{source: "k.cu"})
		assert.True(t, ok)
		return string(got)
	}
	const plain = "_Z5plainv"
	got := rewrite(section("_ZN38_INTERNAL_2b3ff9a0_10_kernels_cu_saxpy16__shfl_down_syncEjxji", plain))
	assert.NotContains(t, got, byteLines("2b3ff9a0")[4:])
	assert.Equal(t, section("_ZN38_INTERNAL_d1aac0b1_10_kernels_cu_saxpy16__shfl_down_syncEjxji", plain),
		strings.ReplaceAll(got, hashBytes(t, "k.cu"), strings.TrimSpace(byteLines("d1aac0b1")[4:])))

	t.Run("lengths that change", func(t *testing.T) {
		one := rewrite(section("_ZN41_INTERNAL_268e530d_6_pid_cu_7d20af34_64383minEjj", plain))
		two := rewrite(section("_ZN42_INTERNAL_a39699fb_6_pid_cu_9583ffca_100063minEjj", plain))
		assert.Equal(t, one, two)
	})
	t.Run("not bytes", func(t *testing.T) {
		text := "\t.section .debug_str\n{\n.b8 95,300\n.b8 1,,2\n}\n"
		assert.Equal(t, text, rewrite(text))
	})
	t.Run("bytes elsewhere", func(t *testing.T) {
		text := "\t.section .other\n{\n" + byteLines("_ZN38_INTERNAL_2b3ff9a0_10_kernels_cu_saxpy3minE") + "}\n"
		assert.Equal(t, text, rewrite(text))
	})
}

// hashBytes returns the neutral hash of a unit as a list of bytes.
func hashBytes(t *testing.T, source string) string {
	t.Helper()
	name, _ := neutral([]byte("_ZN38_INTERNAL_2b3ff9a0_10_kernels_cu_saxpy3minE"), paths{source: source})
	return strings.TrimSpace(byteLines(string(name[len("_ZN38_INTERNAL_"):][:8]))[4:])
}

func TestUnitsOfOneModuleKeepDifferentNames(t *testing.T) {
	assert.NotEqual(t, hashBytes(t, "a/k.cu"), hashBytes(t, "b/k.cu"))
	assert.Equal(t, hashBytes(t, "a/k.cu"), hashBytes(t, "a/k.cu"))
}

func TestNeutralLeavesDebugInformation(t *testing.T) {
	const text = ".file 1 \"/p/k.cu\"\n\t.section\t.debug_info\n\t{\n.b8 1\n\t}\n"
	got, ok := neutral([]byte(text), paths{dirs: []string{"/p"}})
	assert.False(t, ok)
	assert.Equal(t, text, string(got))
}

func FuzzNeutral(f *testing.F) {
	f.Add([]byte("\t.file\t1 \"/p/a/k.cu\"\n_ZN2n144_GLOBAL__N__a39699fb_6_pid_cu_9583ffca_100062anEv"))
	f.Add([]byte("\t.section\t.debug_str\n\t{\n$L:\n.b8 51,56,95,73,78,84,69,82,78,65,76,95\n.b8 50,98\n}\n"))
	f.Add([]byte("__nv_static_33__a39699fb_6_pid_cu_9583ffca_10006__Z"))
	f.Add([]byte("99999999999999999999_INTERNAL_a39699fb_9999_"))
	f.Add([]byte("\t.section\t.debug_str\n\t{\n.b8 51,56\r\r\r\n\t}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := paths{dirs: []string{"/p"}, toolkits: []string{"/t"}, source: "a/k.cu"}
		once, ok := neutral(text, p)
		again, okAgain := neutral(once, p)
		if ok != okAgain || string(once) != string(again) {
			t.Errorf("not stable\nin    %q\nonce  %q\ntwice %q", text, once, again)
		}
	})
}
