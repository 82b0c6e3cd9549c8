package nvrtc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/nvrtclib"
)

func TestMentioned(t *testing.T) {
	for _, tt := range []struct{ name, text, want, unknown string }{
		{name: "nothing", text: "__global__ void k() { a < b; c > d; \"x\"; }\n"},
		{name: "quotes and brackets", text: "#include \"a.h\"\n#include <b/c.h>\n", want: "a.h b/c.h"},
		{name: "carriage returns", text: "#include \"a.h\"\r\n#inc\\\r\nlude \"b.h\"\r\n", want: "a.h b.h"},
		{name: "comments", text: "# /* x */ include /* y */ \"a.h\" // \"z.h\"\n/* #include \"b.h\" */\n", want: "a.h  // z.h b.h"},
		{name: "directive over several lines", text: "# /*\n*/ include \"a.h\"\n", want: "a.h"},
		{name: "digraph and trigraph", text: "%:include <a.h>\n??=include <b.h>\n", want: "a.h b.h"},
		{name: "import and include_next", text: "#import \"a.h\"\n#include_next <b.h>\n", want: "a.h b.h"},
		{name: "has_include behind a comparison", text: "#if x < 3 && __has_include(\"a.h\") > y && __has_include(<b.h>)\n", want: "a.h  3 && __has_include(\"a.h\")  b.h"},
		{name: "macro for has_include", text: "#define HAS_INCLUDE(x) __has_include(x)\n#if HAS_INCLUDE(<a.h>)\n", want: "a.h"},
		{name: "is there has_include", text: "#if defined(__has_include)\n#ifdef __has_include\n"},
		{name: "macro", text: "#include NAME\n", unknown: "#include of a file that is known only"},
		{name: "macro after a comment", text: "/* x\n*/ # /* y */ include /* z */ NAME(a)\n", unknown: "#include of a file"},
		{name: "macro after a comment in between", text: "# /*\n*/ include NAME\n", unknown: "#include of a file"},
		{name: "macro in continued lines", text: "#inc\\\nlude \\\nNAME\n", unknown: "#include of a file"},
		{name: "has_include of a macro", text: "#if __has_include(NAME)\n", unknown: "__has_include of a file"},
		{name: "has_include hidden in a macro", text: "#define PRESENT(x) __has_include(x)\n", unknown: "__has_include of a file"},
		{name: "embed", text: "#embed \"data\"\n", unknown: "#embed of a file"},
		{name: "date", text: "x = __DATE__;", unknown: "__DATE__"},
		{name: "date in continued lines", text: "x = __DA\\\nTE__;", unknown: "__DATE__"},
		{name: "prose", text: "// include the first, import the second\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := mentioned(tt.text)
			if tt.unknown != "" {
				assert.Contains(t, m.unknown, tt.unknown)
				return
			}
			assert.Empty(t, m.unknown)
			for _, name := range strings.Fields(tt.want) {
				assert.Contains(t, strings.Join(m.names, " "), name)
			}
			if tt.want == "" {
				assert.Empty(t, m.names)
			}
		})
	}
}

func FuzzMentioned(f *testing.F) {
	f.Add("#include \"a.h\"\n#include <b.h>\n#include X\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := mentioned(text)
		for _, name := range m.names {
			if name == "" || strings.ContainsRune(name, 0) {
				t.Errorf("name %q", name)
			}
		}
		// A plain include at the end of any text is seen, unless it lies in a
		// continued line.
		if m := mentioned(text + "\n#include <cudagen.h>\n"); m.unknown == "" {
			assert.Contains(t, m.names, "cudagen.h")
		}
	})
}

func TestHarmlessFlags(t *testing.T) {
	for _, flag := range []string{"-use_fast_math", "--use_fast_math", "-ftz=true", "--maxrregcount=32", "-DA", "-DA=1", "-UA", "-G", "-diag-suppress=20", "--device-int128", "--std=c++20"} {
		assert.Empty(t, unknownFlag([]string{flag}), flag)
	}
	for _, flag := range []string{"-include=a", "--pre-include=a", "-I/x", "-D", "A", "-time=x", "--create-pch=x", "-pch", "--fdevice-time-trace=x", "-Gx", "-optf=x", "x -w", "-w\n-I/x"} {
		assert.Contains(t, unknownFlag([]string{"-w", flag}), flag)
	}
}

func TestEntries(t *testing.T) {
	want := &nvrtclib.Result{Code: []byte("code\x00"), Log: strings.Repeat("log", 100), Symbols: map[string]string{"a<b>": "c", "": ""}}
	data := encode(want)
	e, err := decode(data)
	assert.NoError(t, err)
	assert.Equal(t, entry{sha256: e.sha256, log: want.Log, symbols: want.Symbols, code: string(want.Code)}, e)
	assert.Len(t, e.sha256, 64)
	for n := range len(data) - len(want.Code) {
		_, err := decode(data[:n])
		assert.Error(t, err, n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(&nvrtclib.Result{Code: []byte("code"), Symbols: map[string]string{"a": "b"}}))
	f.Add("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	f.Fuzz(func(t *testing.T, data string) {
		if e, err := decode(data); err != nil && e.symbols != nil {
			t.Error("both an entry and an error")
		}
	})
}
