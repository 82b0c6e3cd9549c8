package include

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDirectives(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"quotes", `#include "a.h"`, "a.h"},
		{"brackets", `#include <a/b.h>`, "a/b.h"},
		{"blanks", " \t#\tinclude  \"a.h\" // why\n", "a.h"},
		{"no blank", `#include"a.h"`, "a.h"},
		{"several", "#include \"a.h\"\r\n#include <b.h>\r\nint x;\n#include \"c.h\"", "a.h b.h c.h"},
		{"in a condition", "#if 0\n#include \"a.h\"\n#endif", "a.h"},
		{"behind a comment", "/* x\n y */ # /* z */ include /**/ \"a.h\"", "a.h"},
		{"continued", "#inc\\\nlude \\\r\n \"a.h\"", "a.h"},
		{"digraph", `%:include "a.h"`, "a.h"},
		{"include_next and import", "#include_next <a.h>\n#import \"b.h\"", "a.h b.h"},
		{"in a line comment", "// #include \"a.h\"", ""},
		{"in a continued line comment", "// x \\\n#include \"a.h\"\n#include \"b.h\"", "b.h"},
		{"in a block comment", "/*\n#include \"a.h\"\n*/\n#include \"b.h\"", "b.h"},
		{"in a string", "char *s = \"\\\n#include <a.h>\";\n", ""},
		{"comment in a string", "char *s = \"/*\";\n#include \"a.h\"", "a.h"},
		{"quote in a character", "char c = '\"';\n#include \"a.h\"\nchar d = '\"';", "a.h"},
		{"escaped quotes", "char *s = \"\\\"/*\"; char c = '\\'';\n#include \"a.h\"", "a.h"},
		{"raw string", "auto s = R\"x(\n#include \"a.h\"\n)\" )x\";\n#include \"b.h\"", "b.h"},
		{"raw string with prefix", "auto s = u8R\"(\n#include \"a.h\"\n)\";\n#include \"b.h\"", "b.h"},
		{"not a raw string", "auto s = VAR\"(\";\n#include \"a.h\"\n//)\"", "a.h"},
		{"digit separators", "int n = 1'000'000; int h = 0xff'ffu;\n#include \"a.h\"", "a.h"},
		{"apostrophe in text", "#error don't\n#include \"a.h\"", "a.h"},
		{"not at the beginning of a line", "int x; #include \"a.h\"", ""},
		{"other directive", "#define include \"a.h\"\n#includes \"b.h\"\n", ""},
		{"macro", "#include NAME\n#include NAME(\"a.h\")", ""},
		{"no end", "#include \"a.h\n#include <b.h\n#include \"c.h\"", "c.h"},
		{"empty", "#include \"\"\n#include <>\n#include\n#", ""},
		{"unterminated", "/* #include \"a.h\"", ""},
		{"unterminated raw string", "R\"(\n#include \"a.h\"", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names := []string{}
			for _, d := range Directives([]byte(tt.src)) {
				if d.Name != "" {
					names = append(names, d.Name)
				}
			}
			assert.Equal(t, strings.Fields(tt.want), names)
		})
	}
}

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want Directive
		text string // between Start and End
	}{
		{`#include "a.h" // why`, Directive{Word: "include", Name: "a.h"}, `"a.h"`},
		{"\r\n# include_next\t<a.h>", Directive{Word: "include_next", Name: "a.h", Angled: true}, "<a.h>"},
		{"\r\n#inc\\\r\nlude \"a\\\n.h\"\\\n\n", Directive{Word: "include", Name: "a.h"}, "\"a\\\n.h\""},
		{"#import NAME(\"a.h\")", Directive{Word: "import"}, "N"},
	} {
		list := Directives([]byte(tt.src))
		if assert.Len(t, list, 1, tt.src) {
			d := list[0]
			assert.Equal(t, tt.text, tt.src[d.Start:d.End])
			d.Start, d.End = 0, 0
			assert.Equal(t, tt.want, d)
		}
	}
}

func FuzzDirectives(f *testing.F) {
	f.Add("#include \"a.h\"\n/* */ # include <b.h>\nR\"x(#include)x\" 1'0 'c' \"\\\"\"")
	f.Add("%:include_next \"../a\\\n.h\"")
	f.Fuzz(func(t *testing.T, src string) {
		end := 0
		for _, d := range Directives([]byte(src)) {
			if strings.ContainsAny(d.Name, "\n\x00") || d.Start < end || d.End <= d.Start || d.End > len(src) {
				t.Errorf("%+v in %q", d, src)
			}
			end = d.End
		}
		names := func(src string) (list []string) {
			for _, d := range Directives([]byte(src)) {
				list = append(list, d.Word+" "+d.Name)
			}
			return list
		}
		crlf := strings.ReplaceAll(strings.ReplaceAll(src, "\r", ""), "\n", "\r\n")
		lf := strings.ReplaceAll(crlf, "\r\n", "\n")
		if a, b := names(crlf), names(lf); !slices.Equal(a, b) {
			t.Errorf("%q: with CRLF %q, with LF %q", src, a, b)
		}
	})
}
