package clib_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/clib"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

// yes is a compiler that confirms everything.
type yes struct{ requests []compile.Request }

func (y *yes) Name() string                            { return "yes" }
func (y *yes) String() string                          { return "yes" }
func (y *yes) Version(context.Context) (string, error) { return "1", nil }
func (y *yes) Compile(_ context.Context, req compile.Request) (*compile.Output, error) {
	y.requests = append(y.requests, req)
	return &compile.Output{Compiler: "yes 1"}, nil
}

// generate generates from text, a header, and returns the Go code.
func generate(t *testing.T, text string, find func() (compile.Compiler, error)) (string, error) {
	t.Helper()
	header := filepath.Join(t.TempDir(), "lib.h")
	require.NoError(t, os.WriteFile(header, []byte(text), 0o644))
	result, err := clib.Generate(t.Context(), clib.Options{Source: header, Package: "lib", FindCompiler: find})
	if err != nil {
		assert.NoFileExists(t, strings.TrimSuffix(header, ".h")+"_clib.go")
		return "", err
	}
	code, err := os.ReadFile(result.Path)
	require.NoError(t, err)
	return string(code), nil
}

func confirmed() (compile.Compiler, error) { return new(yes), nil }

// imported has what generated packages import.
var fset = token.NewFileSet()
var imported = testenv.Importer(fset, "github.com/cudagen/cudagen/runtime/clib", "github.com/cudagen/cudagen/runtime/clib/hostwork", "github.com/cudagen/cudagen/runtime/cublas", "github.com/cudagen/cudagen/runtime/cuda", "github.com/cudagen/cudagen/runtime/cuda/vec", "github.com/cudagen/cudagen/runtime/curand", "github.com/cudagen/cudagen/runtime/cusolver", "github.com/cudagen/cudagen/runtime/cusparse", "errors", "strconv")

// check type-checks files of a package.
func check(t *testing.T, files ...string) {
	t.Helper()
	var parsed []*ast.File
	for _, text := range files {
		file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
		require.NoError(t, err, "%s", text)
		parsed = append(parsed, file)
	}
	_, err := (&types.Config{Importer: imported}).Check("lib", fset, parsed, nil)
	require.NoError(t, err, "%s", files)
}

const prelude = `//cudagen:library lib linux=liblib.so
typedef struct CUstream_st *cudaStream_t;
struct lib_object;
typedef lib_object *lib_handle;
enum lib_status { LIB_OK, LIB_BAD };
typedef unsigned long size_t;
`

// What cannot be wrapped is an error with a place and a remedy.
func TestMistakes(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no library":          {"extern \"C\" void f(int n);\n", "lib.h:1:1: does not say which library it describes"},
		"pointer":             {prelude + "extern \"C\" void f(float *x, cudaStream_t s);\n", "f: parameter x is a pointer (float *), and nothing says to what: write one of //cudagen:len x=ELEMENTS"},
		"no stream":           {prelude + "//cudagen:len x=1\nextern \"C\" void f(float *x);\n", "f: works with memory of the device and takes no stream"},
		"unknown directive":   {prelude + "//cudagen:lenn x=1\nextern \"C\" void f(float *x, cudaStream_t s);\n", "unknown directive \"lenn\" (did you mean len?)"},
		"file directive":      {prelude + "//cudagen:libary x\n\nextern \"C\" void f(int n);\n", "unknown directive \"libary\" (did you mean library?)"},
		"stray":               {prelude + "//cudagen:len x=1\n\nextern \"C\" void f(int n);\n", "len belongs to no function"},
		"parameter":           {prelude + "//cudagen:len y=1\n//cudagen:len x=1\nextern \"C\" void f(float *x, cudaStream_t s);\n", "no function here has a parameter y"},
		"no pointer":          {prelude + "//cudagen:out n\nextern \"C\" void f(int n);\n", "f: out n: its type is int, which is no pointer"},
		"expression":          {prelude + "//cudagen:len x=n+\nextern \"C\" void f(float *x, int n, cudaStream_t s);\n", "f: n+: unexpected its end"},
		"expression name":     {prelude + "//cudagen:len x=m\nextern \"C\" void f(float *x, int n, cudaStream_t s);\n", "f: m: there is no parameter or constant m (there are x, n, s)"},
		"expression float":    {prelude + "//cudagen:len x=a\nextern \"C\" void f(float *x, float a, cudaStream_t s);\n", "f: a: a is not an integer"},
		"expression function": {prelude + "//cudagen:len x=matrx(n,n,n)\nextern \"C\" void f(float *x, int n, cudaStream_t s);\n", "there is no function matrx (did you mean matrix?)"},
		"expression count":    {prelude + "//cudagen:len x=vector(n)\nextern \"C\" void f(float *x, int n, cudaStream_t s);\n", "vector takes 2 arguments, not 1"},
		"ternary":             {prelude + "//cudagen:len x=n?1\nextern \"C\" void f(float *x, int n, cudaStream_t s);\n", "a : is missing at its end"},
		"parenthesis":         {prelude + "//cudagen:len x=(n\nextern \"C\" void f(float *x, int n, cudaStream_t s);\n", "a ) is missing at its end"},
		"ellipsis":            {prelude + "extern \"C\" void f(const char *format, ...);\n", "f: has an ellipsis, which is not understood here: leave the function out: //cudagen:ignore"},
		"struct by value":     {prelude + "struct big { int a[4]; };\nextern \"C\" void f(struct big b);\n", "f: parameter b is a big by value, which is not supported: leave the function out: //cudagen:ignore"},
		"callback":            {prelude + "extern \"C\" void f(void (*g)(int));\n", "f: parameter g is the address of a function, which Go has none of"},
		"result":              {prelude + "extern \"C\" double f(int n);\n", "f: returns double, which is not supported"},
		"host pointers":       {prelude + "//cudagen:host x=n\nextern \"C\" void f(float **x, int n);\n", "f: parameter x points to pointers in the memory of the host"},
		"mode length":         {prelude + "//cudagen:handle lib_handle stream=st mode=st,LIB_OK,LIB_BAD\n\nextern \"C\" void st(lib_handle h);\n//cudagen:mode a=\nextern \"C\" void f(lib_handle h, const float *a);\n", "f: mode wants PARAMETER=ELEMENTS, found a="},
		"sum":                 {prelude + "//cudagen:host x=n y=sum(x)\nextern \"C\" void f(float *x, int *y, int n);\n", "f: sum(x): x is no slice of integers in the memory of the host"},
		"enum":                {prelude + "//cudagen:enum lib_tile\n\nextern \"C\" void f(int n);\n", "lib.h:7:16: there is no enumeration lib_tile"},
		"objects":             {prelude + "//cudagen:handle lib_handle\n\nextern \"C\" void f(lib_handle a, lib_handle b, lib_handle c, lib_handle d, lib_handle e, lib_handle f, lib_handle g, lib_handle h, lib_handle i);\n", "f: uses 9 handles, and a call can have 8"},
		"status":              {prelude + "//cudagen:status lib_stat\n\nextern \"C\" void f(int n);\n", "status lib_stat: there is no enumeration of that name"},
		"keep":                {prelude + "//cudagen:keep a=n\nextern \"C\" void f(int n);\n", "f: keep: the function has no handle that could keep something"},
		"kept":                {prelude + "//cudagen:handle lib_handle\n\n//cudagen:len x=h.n\nextern \"C\" void f(lib_handle h, float *x, cudaStream_t s);\n", "no function has a lib_handle keep n: write //cudagen:keep n=NUMBER"},
		"go":                  {prelude + "//cudagen:len x=go.f(x)\nextern \"C\" void f(float *x, cudaStream_t s);\n", "x is no parameter that Go has as a number, a slice or an object"},
		"hold":                {prelude + "//cudagen:len x=1\n//cudagen:hold x\nextern \"C\" void f(float *x, cudaStream_t s);\n", "f: hold x: only a handle"},
		"hold elsewhere":      {prelude + "//cudagen:handle lib_handle\n\n//cudagen:len x=1\n//cudagen:hold x=g.x\nextern \"C\" void f(lib_handle h, float *x, cudaStream_t s);\n", "f: hold x=g.x: only a handle"},
		"hold twice":          {prelude + "//cudagen:handle lib_handle\n\n//cudagen:len x=1 y=1\n//cudagen:hold x y=g.y\nextern \"C\" void f(lib_handle h, lib_handle g, float *x, float *y, cudaStream_t s);\n", "f: hold: h and g cannot both hold memory of one call"},
		"hold much":           {prelude + "//cudagen:handle lib_handle\n//cudagen:makes f\n\n//cudagen:len a=1 b=1 c=1 d=1 e=1\nextern \"C\" void f(lib_handle *h, float *a, float *b, float *c, float *d, float *e);\n", "f: hold e: a lib_handle can hold 4 pieces of memory"},
		"keep much":           {prelude + "//cudagen:handle lib_handle\n//cudagen:makes f\n\n//cudagen:keep a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1\nextern \"C\" void f(lib_handle *h);\n", "f: keep k: a lib_handle can keep 10 numbers"},
		"asked nobody":        {prelude + "//cudagen:handle lib_handle stream=st\n\nextern \"C\" void st(lib_handle h);\n//cudagen:len x=asked(_size)\nextern \"C\" void f(lib_handle h, float *x);\n", "f: asked(_size): there is no function f_size"},
		"asked by name":       {prelude + "//cudagen:handle lib_handle stream=st\n\nextern \"C\" void st(lib_handle h);\n//cudagen:len x=asked(g_size)\nextern \"C\" void f(lib_handle h, float *x);\n", "f: asked(g_size): there is no function g_size"},
		"len of no slice":     {prelude + "//cudagen:len x=len(y)\n//cudagen:value y\nextern \"C\" void f(float *x, float *y, cudaStream_t s);\n", "len(y): y is no slice: write len or host for it"},
		"asked too little":    {prelude + "//cudagen:handle lib_handle stream=st\n\nextern \"C\" void st(lib_handle h);\n//cudagen:len x=asked(_size)\nextern \"C\" void f(lib_handle h, float *x);\n//cudagen:out n\nextern \"C\" void f_size(lib_handle h, int m, int *n);\n", "f: asked(_size): f_size takes m, a int32, which f does not have"},
		"asked no number":     {prelude + "//cudagen:handle lib_handle stream=st\n\nextern \"C\" void st(lib_handle h);\n//cudagen:len x=asked(_size)\nextern \"C\" void f(lib_handle h, float *x);\nextern \"C\" void f_size(lib_handle h, int m);\n", "f: asked(_size): f_size tells no number by a pointer that f has not"},
		"out":                 {prelude + "//cudagen:out x=host\nextern \"C\" void f(float **x);\n", "f: out takes names of parameters, found x=host"},
		"out ptr":             {prelude + "//cudagen:out x=ptr\nextern \"C\" void f(float *x);\n", "f: out x: x is a float *, where C cannot write an address"},
		"version":             {prelude + "//cudagen:version LIB_MAJOR\n\nextern \"C\" void f(int n);\n", "there is no constant LIB_MAJOR"},
		"void":                {prelude + "//cudagen:value a\nextern \"C\" void f(const void *a);\n", "f: parameter a points to void, and nothing says how many bytes its value has: write //cudagen:host a=BYTES"},
		"text":                {prelude + "//cudagen:text a\nextern \"C\" void f(char *a);\n", "f: text a: its type is char *, and not const char *"},
		"asm label":           {prelude + "extern \"C\" void f(int n) __asm__(\"g\");\n", "f: has another name in its library, by an asm label"},
		"inline":              {prelude + "extern \"C\" { static inline void f(int n) {} inline void g(int n) {} }\n", "no function of a C library is chosen"},
		"CRLF":                {strings.ReplaceAll(prelude+"//cudagen:len x=n\nextern \"C\" void f(float *x, int n,\n  cudaStream_t s);\n", "\n", "\r\n"), ""},
		"variadic":            {prelude + "extern \"C\" void f(int n, ...);\n", "f"},
		"long":                {strings.Replace(prelude, "linux=liblib.so", "windows=lib.dll", 1) + "//cudagen:out a b\nextern \"C\" void f(size_t *b, long *a);\n", "f: parameter a has a long or a wchar_t, which has another size on Windows"},
		"long by value":       {strings.Replace(prelude, "linux=liblib.so", "windows=lib.dll", 1) + "extern \"C\" void f(long a);\n", "f: parameter a has a long or a wchar_t, which has another size on Windows"},
		"enum of long":        {strings.Replace(prelude, "linux=liblib.so", "windows=lib.dll", 1) + "enum e : unsigned long { one };\nextern \"C\" void f(e a);\n", "f: parameter a has a long or a wchar_t, which has another size on Windows"},
		"size_t":              {strings.Replace(prelude, "linux=liblib.so", "windows=lib.dll", 1) + "//cudagen:out a\nextern \"C\" void f(size_t *a, unsigned long long b);\n", ""},
		"nullable handle":     {prelude + "//cudagen:handle lib_handle\n\n//cudagen:nullable h\nextern \"C\" void f(lib_handle h);\n", "f: nullable h: a handle and a stream are always there"},
		"optional value":      {prelude + "//cudagen:value a\n//cudagen:optional a\nextern \"C\" void f(const int *a);\n", "f: optional a: only memory of the device"},
		"handle function":     {prelude + "//cudagen:handle lib_handle destroy=lib_end\n\nextern \"C\" void lib_destroy(lib_handle h);\nextern \"C\" void f(lib_handle h);\n", "there is no function lib_end with C linkage"},
		"pattern":             {prelude + "//cudagen:functions g*\n\nextern \"C\" void f(int n);\n", "no function with C linkage matches g*"},
		"bad pattern":         {prelude + "//cudagen:functions [\n\nextern \"C\" void f(int n);\n", "[ is no pattern"},
		"mode":                {prelude + "//cudagen:mode a\nextern \"C\" void f(const float *a, cudaStream_t s);\n", "f: mode a: there is no handle with a mode before it"},
		"two handles":         {prelude + "//cudagen:handle lib_handle\n//cudagen:makes f\n\nextern \"C\" void f(lib_handle *a, lib_handle *b);\n", "f: makes two handles, a and b"},
		"Go name":             {prelude + "//cudagen:name f\nextern \"C\" void f(int n);\n", "f: f is not an exported Go name"},
		"same name":           {prelude + "//cudagen:name F\nextern \"C\" void g(int n);\n//cudagen:name F\nextern \"C\" void f(int n);\n", "two things of the library are called F in Go"},
		"linkage":             {prelude + "void f(int n);\n", "no function of a C library is chosen"},
		"undefined struct":    {prelude + "struct s;\n//cudagen:out x\nextern \"C\" void f(struct s *x);\n", "f: parameter x: layout of s is not known"},
		"union":               {prelude + "union u { int a; float b; };\n//cudagen:out x\nextern \"C\" void f(union u *x);\n", "f: parameter x: u is a union, which Go does not have: leave the function out"},
		"header":              {prelude + "#include \"nowhere.h\"\nextern \"C\" void f(where x);\n", "nowhere.h"},
		"type":                {prelude + "extern \"C\" void f(where x);\n", "where"},
		"redeclared":          {prelude + "extern \"C\" void f(int n);\nextern \"C\" void f(long n);\n", "f: is declared with other types than in line 7"},
		"functions above":     {prelude + "//cudagen:functions f\nextern \"C\" void f(int n);\n", "functions stands above a declaration"},
		"system":              {"//cudagen:library lib linux=a.so plan9=b\n\nextern \"C\" void f(int n);\n", "plan9=b is not linux=FILE,… or windows=FILE,… or of=LIBRARY"},
		"rename":              {prelude + "//cudagen:rename a=b\n\nextern \"C\" void f(int n);\n", "a=b is not C=Go with an exported Go name"},
		"library above":       {"//cudagen:library lib linux=liblib.so\nextern \"C\" void f(int n);\n", "library is about the library, and stands above a function"},
		"require blanks":      {prelude + "//cudagen:require n >0 too few\nextern \"C\" void f(int n);\n", "f: require: a condition has no blanks, but in parentheses"},
		"handle by value":     {prelude + "typedef struct { long a[2]; } plan;\n//cudagen:handle plan\n\nextern \"C\" void f(plan x);\n", "handle plan is a plan: handles are integers and pointers"},
		"status of nobody":    {prelude + "//cudagen:status int\n\nextern \"C\" void f(int n);\n", "status int: there is no enumeration of that name, and no function returns an int that is called so"},
		"no status":           {prelude + "//cudagen:handle lib_handle\n//cudagen:makes f\n\nextern \"C\" int f(lib_handle *h);\n", "f: makes a handle and returns int, of which nothing says that it is a status"},
		"two results":         {prelude + "//cudagen:status lib_status\n//cudagen:handle lib_handle\n//cudagen:makes f\n\n//cudagen:out n\nextern \"C\" enum lib_status f(lib_handle *h, int *n);\n", "f: makes a handle and tells n, which is not supported"},
		"array":               {prelude + "//cudagen:out a\nextern \"C\" void f(int a[3]);\n", "f: parameter a is an array of 3 elements, and no single value: write //cudagen:host a=3"},
		"aligned":             {prelude + "struct __attribute__((aligned(32))) wide { float a[8]; };\n//cudagen:out a\nextern \"C\" void f(struct wide *a);\n", "f: parameter a is aligned to 32 bytes, and Go can align to 16"},
		"two streams":         {prelude + "extern \"C\" void f(cudaStream_t s, cudaStream_t t);\n", "f: takes 2 streams, and a call can have one"},
		"long result":         {strings.Replace(prelude, "linux=liblib.so", "windows=lib.dll", 1) + "extern \"C\" long f(int n);\n", "f: returns a long, which has 4 bytes on Windows and 8 elsewhere"},
		"struct handle":       {prelude + "struct value { int a, b; };\n//cudagen:handle value\n\nextern \"C\" void f(struct value v);\n", "handle value"},
		"long status":         {prelude + "enum wide : long long { W };\n//cudagen:status wide\n\nextern \"C\" enum wide f(int n);\n", "status wide"},
		"convention":          {prelude + "#define CALL __attribute__((ms_abi))\nextern \"C\" CALL void f(int n);\n", "f: has another calling convention, by ms_abi"},
		"convention behind":   {prelude + "extern \"C\" void f(int n) __attribute__((vectorcall));\n", "f: has another calling convention, by vectorcall"},
		"device only":         {prelude + "#ifdef __CUDA_ARCH__\nextern \"C\" void f(int n);\n#endif\n", "no function of a C library is chosen"},
		"handle as number":    {prelude + "typedef int lib_plan;\n//cudagen:handle lib_plan\n\n//cudagen:host x=h\nextern \"C\" void f(lib_plan h, float *x);\n", "f: h: h is a handle, and no number"},
		"void handle":         {prelude + "typedef void *lib_any;\n//cudagen:handle lib_any\n\nextern \"C\" void f(lib_any h, void *x);\n", "f: parameter x is a pointer (void *), and nothing says to what"},
		"destroy directives":  {prelude + "//cudagen:handle lib_handle destroy=lib_end\n\n//cudagen:require n>0\nextern \"C\" void lib_end(lib_handle h);\nextern \"C\" void f(lib_handle h);\n", "lib_end: generated code calls lib_end by itself"},
		"one of two patterns": {prelude + "//cudagen:functions f g\n\nextern \"C\" void f(int n);\n", "no function with C linkage matches g"},
		"renamed nothing":     {prelude + "//cudagen:rename lib_tile=Tile\n\nextern \"C\" void f(int n);\n", "lib.h:7:18: nothing that the package has is called lib_tile in C"},
		"preferred nothing":   {prelude + "//cudagen:prefer _64\n\nextern \"C\" void f(int n);\n", "prefer _64: no function has another form with _64"},
		"out of const":        {prelude + "//cudagen:out x\nextern \"C\" void f(const int *x);\n", "f: out x: its type is const int *, to which C does not write"},
		"one mode":            {prelude + "//cudagen:handle lib_handle mode=st,LIB_OK,LIB_OK\n\nextern \"C\" void st(lib_handle h);\n", "mode=st,LIB_OK,LIB_OK is not mode=FUNCTION,HOST,DEVICE"},
		"handle and result":   {prelude + "//cudagen:handle struct h*\n//cudagen:makes f\n\nextern \"C\" struct h *f(struct h **a);\n", "f: makes two handles, its result and a"},
		"number for a handle": {prelude + "typedef int plan;\n//cudagen:handle plan\n//cudagen:makes f\n\nextern \"C\" plan f(int n);\n", "f: returns a handle, plan, that is no pointer, so that nothing says whether it was made"},
		"told and made":       {prelude + "//cudagen:handle struct h *\n//cudagen:makes f\n\n//cudagen:out n\nextern \"C\" struct h *f(int *n);\n", "f: makes a handle and tells n, which is not supported"},
		"no name":             {prelude + "extern \"C\" void f(float *, int n);\n", "a parameter that is a pointer (float *) has no name, and directives need one: declare f again in lib.h, with names for its parameters, and directives above it"},
		"macro":               {prelude + "#define f f_v2\n//cudagen:functions f\n\nextern \"C\" void f(int n);\n", "no function with C linkage matches f, but there is f_v2, which a macro of that name may stand for"},
		"two types":           {prelude + "//cudagen:handle a b\n\nextern \"C\" void f(int n);\n", "handle wants one type: the name of a typedef, or of a struct with a * behind it"},
		"handle result":       {prelude + "enum lib_current { LIB_ONE };\n//cudagen:handle lib_current\n\nextern \"C\" enum lib_current f(int n);\n", "f: returns a handle"},
		"asked otherwise":     {prelude + "//cudagen:handle lib_handle stream=st\n\nextern \"C\" void st(lib_handle h);\n//cudagen:len x=asked(_size,N=k)\nextern \"C\" void f(lib_handle h, float *x, int n, int k);\n//cudagen:out m\nextern \"C\" void f_size(lib_handle h, int n, int *m);\n", "f: asked(_size,N=k): f_size has no parameter N"},
		"two descriptions":    {prelude + "//cudagen:require a>0\nextern \"C\" void f(int a, int b);\n//cudagen:require a>1\nextern \"C\" void f(int b, int a);\n", "f: has directives above two declarations, in which parameter 1 is called a and b"},
		"handles":             {prelude + "//cudagen:handle lib_handle\n\nextern \"C\" void f(lib_handle *all, int n);\n", "f: parameter all is a pointer to a handle (lib_handle *): write //cudagen:makes f if the function makes a handle there"},
		"makes nothing":       {prelude + "//cudagen:handle lib_handle\n//cudagen:makes g*\n\nextern \"C\" void f(lib_handle h);\n", "no function that returns a handle, or has a pointer to one, matches g*"},
		"no names":            {prelude + "//cudagen:nullable\nextern \"C\" void f(int n);\n", "f: nullable names no parameter"},
		"stream words":        {prelude + "//cudagen:stream yes\nextern \"C\" void f(cudaStream_t s);\n", "f: stream takes no words, found yes"},
		"system twice":        {"//cudagen:library lib linux=a.so linux=b.so\n\nextern \"C\" void f(int n);\n", "linux stands there twice"},
		"out and nullable":    {prelude + "//cudagen:out x=ptr\n//cudagen:nullable x\nextern \"C\" void f(float **x);\n", ""},
		"overridden asked":    {prelude + "//cudagen:handle lib_handle stream=st\n\nextern \"C\" void st(lib_handle h);\n//cudagen:host x=asked(_size)\n//cudagen:host x=1\nextern \"C\" void f(lib_handle h, float *x);\n//cudagen:out n\nextern \"C\" void f_size(lib_handle h, int *n);\n", ""},
		"enum result":         {prelude + "enum lib_color { LIB_RED };\nextern \"C\" enum lib_color f(int n);\n", ""},
		"require":             {prelude + "//cudagen:require k>0\nextern \"C\" void f(int n);\n", "no function here has a parameter k"},
	} {
		t.Run(name, func(t *testing.T) {
			code, err := generate(t, test.text, confirmed)
			if test.want == "" {
				require.NoError(t, err)
				check(t, code)
				return
			}
			var list diag.List
			require.ErrorAs(t, err, &list)
			var all strings.Builder
			diag.Print(&all, err)
			assert.Contains(t, all.String(), test.want)
		})
	}
}

// A function that another file declares gets its directives in the file with those for the library.
func TestIncluded(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "lib.h"), []byte("typedef struct CUstream_st *cudaStream_t;\nextern \"C\" void f(float *x, cudaStream_t s);\n"), 0o644))
	header := filepath.Join(folder, "mine.h")
	const begin = "//cudagen:library lib linux=liblib.so\n#include \"lib.h\"\n\n//cudagen:functions f\n"
	require.NoError(t, os.WriteFile(header, []byte(begin), 0o644))
	_, err := clib.Generate(t.Context(), clib.Options{Source: header, Package: "lib", FindCompiler: confirmed})
	require.Error(t, err)
	var all strings.Builder
	diag.Print(&all, err)
	assert.Contains(t, all.String(), "lib.h:2:17: f: parameter x is a pointer")
	assert.Contains(t, all.String(), "write //cudagen:functions f into mine.h, and below it one of //cudagen:len x=ELEMENTS")
	require.NoError(t, os.WriteFile(header, []byte(begin+"//cudagen:len x=1\n"), 0o644))
	_, err = clib.Generate(t.Context(), clib.Options{Source: header, Package: "lib", FindCompiler: confirmed})
	require.NoError(t, err)
}

// other is a compiler that defines a macro which cudagen does not see.
type other struct{ compile.Compiler }

func (o other) Compile(ctx context.Context, req compile.Request) (*compile.Output, error) {
	req.Flags = append(req.Flags, "-DOTHER")
	return o.Compiler.Compile(ctx, req)
}

// Whatever C calls a parameter, Go can, too.
func TestNames(t *testing.T) {
	code, err := generate(t, prelude+`//cudagen:len type=map range=vector(func,go)
extern "C" void f(float *type, int map, const float *range, int func, int go, int s, int d, int call, int words, int err, int ret, int N, int n, int uint32, int, cudaStream_t stream);
//cudagen:len x=clib unsafe=max(xAt,min(x_,min))
//cudagen:host cuda=unsafe_n
//cudagen:out errors
extern "C" void g(float *x, int xAt, int x_, int clib, float *unsafe, const int *cuda, int unsafe_n, int vec, int strconv, double *errors, int created, int library, int failed, int simulated, int max, int min, int int64, int uintptr, int nil, int h0, int h, cudaStream_t stream);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
}

// What comments say is no code: they may name packages that the Go file does not need.
func TestComments(t *testing.T) {
	code, err := generate(t, prelude+`// Reports errors. See strconv. And unsafe.Pointer(vec.Float2).
//
//cudagen:doc is for errors.
extern "C" void f(int n);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
	assert.Contains(t, code, "// Reports errors. See strconv. And unsafe.Pointer(vec.Float2).")
}

// Directives above a declaration call parameters as that does.
func TestDeclaredAgain(t *testing.T) {
	code, err := generate(t, prelude+`
extern "C" void blend(int w, int h, const float *src, const float *lut);
//cudagen:host src=h lut=16*w
extern "C" void blend(int h, int w, const float *lut, const float *src);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
	assert.Contains(t, code, "func Blend(d *cuda.Device, hArg int32, w int32, lut []float32, src []float32) error")
}

// Functions between macros of the C library have C linkage, and a pattern that matches none says which headers may have them.
func TestMissingHeaders(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "lib.h"), []byte("#include \"zconf.h\"\n__BEGIN_DECLS\nvoid f(int n);\n__END_DECLS\n"), 0o644))
	header := filepath.Join(folder, "mine.h")
	require.NoError(t, os.WriteFile(header, []byte("//cudagen:library lib linux=liblib.so\n#include \"lib.h\"\n\n//cudagen:functions f g\n"), 0o644))
	_, err := clib.Generate(t.Context(), clib.Options{Source: header, Package: "lib", FindCompiler: confirmed})
	require.Error(t, err)
	var all strings.Builder
	diag.Print(&all, err)
	assert.Contains(t, all.String(), "no function with C linkage matches g (headers that are not found: zconf.h)")
	assert.NotContains(t, all.String(), "matches f")
}

// The header is read as code of the host sees it, and the compiler is asked about that.
func TestHostView(t *testing.T) {
	asked := new(yes)
	code, err := generate(t, prelude+`
#ifdef __CUDA_ARCH__
typedef int lib_count;
#else
typedef long long lib_count;
#endif
extern "C" void f(lib_count n);
`, func() (compile.Compiler, error) { return asked, nil })
	require.NoError(t, err)
	assert.Contains(t, code, "func F(d *cuda.Device, n int64) error")
	assert.Contains(t, asked.requests[0].Flags, "-U__CUDA_ARCH__")
}

// A comparison with a number that is not known holds neither as it is nor negated, and what depends on it is too much.
func TestUnknownComparisons(t *testing.T) {
	code, err := generate(t, prelude+`
enum huge { HUGE = 0xFFFFFFFFFFFFFFFF };
//cudagen:require n==0||m/n>=2
//cudagen:require !(m*n<5)
//cudagen:require m<n
//cudagen:host x=m/n>2?m:n y=(m*n)*(m-n<=0) z=HUGE u=h
extern "C" void f(long long m, long long n, enum huge h, float *x, float *y, float *z, float *u);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
	for _, want := range []string{
		"call.Require((int64(n) == 0) || (clib.Compare(clib.Div(int64(m), int64(n)), 2)&^1 == 0), ",
		"call.Require(clib.Compare(clib.Mul(int64(m), int64(n)), 5)&^1 == 0, ",
		"call.Require(int64(m) < int64(n), ",
		"clib.Pick(clib.Compare(clib.Div(int64(m), int64(n)), 2) == 1, int64(m), clib.Pick(clib.Compare(clib.Div(int64(m), int64(n)), 2) <= 0, int64(n), clib.TooMuch))",
		"clib.Mul(clib.Mul(int64(m), int64(n)), clib.Pick(clib.Compare(clib.Sub(int64(m), int64(n)), 0) <= 0, 1, clib.Pick(clib.Compare(clib.Sub(int64(m), int64(n)), 0) == 1, 0, clib.TooMuch)))",
		"\"z\", z, clib.TooMuch",
		"\"u\", u, clib.Unsigned(hArg)",
	} {
		assert.Contains(t, code, want)
	}
}

// A folder has the Go package of one header.
func TestTwoHeaders(t *testing.T) {
	folder := t.TempDir()
	text := prelude + "extern \"C\" void f(int n);\n"
	generated := func(name string) error {
		header := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(header, []byte(text), 0o644))
		_, err := clib.Generate(t.Context(), clib.Options{Source: header, Package: "lib", FindCompiler: confirmed})
		return err
	}
	require.NoError(t, generated("a.h"))
	assert.ErrorContains(t, generated("b.h"), "a_clib.go is made of a.h, and a Go package is that of one header")
	assert.ErrorContains(t, generated("a.hpp"), "a_clib.go is made of a.h")
	require.NoError(t, generated("a.h"))
	require.NoError(t, os.Remove(filepath.Join(folder, "a.h")))
	assert.NoError(t, generated("a.hpp"), "the header was renamed")
}

// Folders of headers may be absolute although the header is not.
func TestAbsoluteFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("lib.h", []byte(prelude+"extern \"C\" void f(int n);\n"), 0o644))
	_, err := clib.Generate(t.Context(), clib.Options{Source: "lib.h", Include: []string{t.TempDir()}, Package: "lib", FindCompiler: confirmed})
	assert.NoError(t, err)
}

// Of two forms of a function one is enough.
func TestPrefer(t *testing.T) {
	code, err := generate(t, prelude+`//cudagen:prefer _64
//cudagen:trim lib_ _v2

extern "C" void lib_sum_v2(int n);
extern "C" void lib_sum_v2_64(long long n);
extern "C" void lib_only(int n);
extern "C" void lib_64(int n);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
	assert.Contains(t, code, "func Sum(d *cuda.Device, n int64) error")
	assert.Contains(t, code, "func Only(d *cuda.Device, n int32) error")
	assert.NotContains(t, code, "n int32) error {\n\tcall := clib.Call{Function: &c_lib_sum_v2}")
}

// Descriptors hold memory and have no stream of their own: functions that use them have.
func TestDescriptors(t *testing.T) {
	code, err := generate(t, prelude+`//cudagen:handle lib_handle stream=lib_stream
//cudagen:handle matrix_t const=const_matrix_t destroy=matrix_end
//cudagen:makes matrix_new

struct matrix;
typedef struct matrix *matrix_t;
typedef struct matrix const *const_matrix_t;
extern "C" void lib_stream(lib_handle h, cudaStream_t s);
extern "C" void matrix_end(const_matrix_t m);
//cudagen:len values=n indices=n
extern "C" void matrix_new(matrix_t *m, int n, float *values, int *indices);
//cudagen:len v=1
//cudagen:hold v=values
extern "C" void matrix_set(matrix_t m, float *v);
//cudagen:out rows at=ptr
extern "C" void matrix_get(const_matrix_t m, int *rows, const void **at);
//cudagen:out n
extern "C" void multiply_size(lib_handle h, const_matrix_t a, int kind, size_t *n);
//cudagen:len buffer=asked(mul?iply_size,kind=way)
extern "C" void multiply(lib_handle h, const_matrix_t a, int way, void *buffer);
//cudagen:len buffer=asked(_size)
//cudagen:hold buffer=a.buffer
extern "C" void multiply_analysis(lib_handle h, const_matrix_t a, int kind, void *buffer);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
	for _, line := range []string{
		"func MatrixNew(d *cuda.Device, n int32, values cuda.Slice[float32], indices cuda.Slice[int32]) (*MatrixT, error) {",
		"func (h *MatrixT) MatrixSet(v cuda.Slice[float32]) error {",
		"call := clib.Call{Function: &c_matrix_set, Replaces: 0x1}",
		"func (h *MatrixT) MatrixGet() (int32, cuda.Ptr[uint8], error) {",
		"func (h *LibHandle) Multiply(s *cuda.Stream, a *MatrixT, way int32, buffer cuda.Slice[uint8]) error {",
		"ask_1 := call.Ask(&c_multiply_size, clib.AnyMode)",
		"asked_1, err = Simulated.LibHandleMultiplySize(h, s, a, way)",
		"words := words3n1p{h0, at_a, uintptr(way), unsafe.Pointer(&asked_1)}",
		"words := words3n1p{h0, at_a, uintptr(kind), unsafe.Pointer(&asked_1)}",
		`at_buffer := clib.Memory(&call, "buffer", buffer, clib.Unsigned(asked_1), false)`,
		"call := clib.Call{Function: &c_multiply_analysis, Replaces: 0x4, Replacing: 1}",
		"a.object.Hold(2, buffer.Owner())",
	} {
		assert.Contains(t, code, line)
	}
}

// Go names leave out what trim says, also before another suffix, and have words such as 32F in capitals.
func TestTrim(t *testing.T) {
	code, err := generate(t, prelude+`//cudagen:trim lib LIB_ _v2 _t

enum lib_type_t { LIB_R_32F, LIB_R_8F_E4M3, LIB_COMPUTE_32F_FAST_16BF, LIB_ALGO0 };
enum lib_tile { LIB_TILE_8x16, LIB_TILE_1x2x1, LIB_TILE_1x12x100 };
//cudagen:enum lib_tile

extern "C" void libdo_v2(enum lib_type_t t);
extern "C" void libdo_v2_64(enum lib_type_t t);
extern "C" void libdo_v2x(enum lib_type_t t);
`, confirmed)
	require.NoError(t, err)
	check(t, code)
	for _, name := range []string{"func Do(", "func Do64(", "func DoV2x(", "\tR32F ", "\tR8FE4M3 ", "\tCompute32FFast16BF ", "\tAlgo0 ", "\tTile8x16     Tile = 0 ", "\tTile1x2x1    Tile = 1 ", "\tTile1x12x100 Tile = 2 ", "type Type uint32"} {
		assert.Contains(t, code, name)
	}
}

// A compiler that reads something else has the last word.
func TestDisagreement(t *testing.T) {
	testenv.NVCCPath(t)
	const text = prelude + `
#define COMMA ,
#ifdef OTHER
#define HERE(a, b) b
#else
#define HERE(a, b) a
#endif
//cudagen:status lib_status text=lib_text
//cudagen:handle lib_handle destroy=lib_destroy stream=lib_stream

extern "C" const char *lib_text(lib_status s);
extern "C" lib_status lib_destroy(lib_handle h);
extern "C" lib_status lib_stream(lib_handle h, cudaStream_t s);
`
	for name, test := range map[string]struct{ text, subject string }{
		"nothing":     {"extern \"C\" void f(int n);\n", ""},
		"parameter":   {"extern \"C\" void f(HERE(int, unsigned) n);\n", "f"},
		"const":       {"//cudagen:host x=1\nextern \"C\" void f(HERE(const, ) int *x);\n", "f"},
		"parameters":  {"extern \"C\" void f(int n HERE(, COMMA int m));\n", "f"},
		"result":      {"extern \"C\" HERE(int, long) f(int n);\n", "f"},
		"enumerator":  {"enum e { A, B = HERE(1, 2) };\nextern \"C\" void f(enum e x);\n", "B"},
		"enumeration": {"enum e { A, HERE(, B = 1ll << 40) };\nextern \"C\" void f(enum e x);\n", "e"},
		"size":        {"struct s { int a; HERE(, int b;) };\n//cudagen:out x\nextern \"C\" void f(struct s *x);\n", "s"},
		"offset":      {"struct s { int a; HERE(short b; short c;, short c; short b;) };\n//cudagen:out x\nextern \"C\" void f(struct s *x);\n", "s::b"},
		"constant":    {"enum { N = HERE(4, 5) };\n//cudagen:len x=N\nextern \"C\" void f(float *x, cudaStream_t s);\n", "N"},
		"handle":      {"typedef HERE(int, struct { long a[2]; }) plan;\n//cudagen:handle plan\n//cudagen:makes f\n\nextern \"C\" void f(plan *x);\n", "f"},
	} {
		t.Run(name, func(t *testing.T) {
			nvcc := func() (compile.Compiler, error) { return compile.FindNVCC(os.Getenv) }
			_, err := generate(t, text+test.text, nvcc)
			require.NoError(t, err)
			_, err = generate(t, text+test.text, func() (compile.Compiler, error) {
				c, err := nvcc()
				return other{c}, err
			})
			if test.subject == "" {
				require.NoError(t, err)
				return
			}
			var all strings.Builder
			require.Error(t, err)
			diag.Print(&all, err)
			assert.Regexp(t, ": "+test.subject+` (is not what cudagen reads|is no function that can be called as a \w+ \(\*\)\(.*\)): the compiler says: `, all.String())
			assert.NotContains(t, all.String(), "cudagen_takes")
		})
	}
}

// The pieces of docs/libraries.md belong together.
func TestGuide(t *testing.T) {
	testenv.NVCCPath(t)
	guide, err := os.ReadFile("../../docs/libraries.md")
	require.NoError(t, err)
	folder := t.TempDir()
	for _, m := range regexp.MustCompile("(?s)```c\n// (\\w+\\.h)\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, m[1]), []byte(m[2]), 0o644))
	}
	result, err := clib.Generate(t.Context(), clib.Options{Source: filepath.Join(folder, "wavelib.h"), Package: "lib"})
	require.NoError(t, err)
	code, err := os.ReadFile(result.Path)
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	require.Len(t, blocks, 9)
	imports := "package lib\n\nimport \"github.com/cudagen/cudagen/runtime/cuda\"\n\n"
	check(t, string(code), imports+"func _(dev *cuda.Device, s *cuda.Stream, now, next *cuda.Buffer[float32]) {\n"+strings.ReplaceAll(blocks[0][1], "wave.", "")+"\n_ = err\n}\n",
		imports+"var k struct{ Step struct{ kernel } }\n\ntype kernel struct{}\n\nfunc (kernel) Launch(s *cuda.Stream, next, now cuda.Slice[float32], n int32, speed float32) error { return nil }\n\n"+strings.ReplaceAll(blocks[7][1], "wave.", ""),
		"package lib\n\nimport (\n\"github.com/cudagen/cudagen/runtime/clib/hostwork\"\n\"github.com/cudagen/cudagen/runtime/cuda\"\n)\n\nfunc init() {\n"+strings.ReplaceAll(blocks[8][1], "wave.", "")+"}\n")
	check(t, "package lib\n\nimport (\n\"github.com/cudagen/cudagen/runtime/cublas\"\n\"github.com/cudagen/cudagen/runtime/cuda\"\n)\n\nfunc _(dev *cuda.Device, s *cuda.Stream, m, n, k int, a, b, c *cuda.Buffer[float32]) {\n"+
		blocks[1][1]+blocks[2][1]+"_ = err\n}\n")
	check(t, "package lib\n\nimport (\n\"github.com/cudagen/cudagen/runtime/cuda\"\n\"github.com/cudagen/cudagen/runtime/cufft\"\n)\n\nfunc _(dev *cuda.Device, s *cuda.Stream, samples *cuda.Buffer[float32], spectrum *cuda.Buffer[complex64]) {\n"+
		blocks[3][1]+"_ = err\n}\n")
	check(t, "package lib\n\nimport (\n\"github.com/cudagen/cudagen/runtime/cuda\"\n\"github.com/cudagen/cudagen/runtime/curand\"\n)\n\nfunc _(dev *cuda.Device, s *cuda.Stream, samples *cuda.Buffer[float32]) {\n"+
		blocks[6][1]+"_ = err\n}\n")
	check(t, "package lib\n\nimport (\n\"github.com/cudagen/cudagen/runtime/cuda\"\n\"github.com/cudagen/cudagen/runtime/cusolver\"\n)\n\nfunc _(dev *cuda.Device, s *cuda.Stream, n int, a *cuda.Buffer[float32], info *cuda.Buffer[int32]) {\n"+
		blocks[4][1]+"_ = err\n}\n")
	check(t, "package lib\n\nimport (\n\"github.com/cudagen/cudagen/runtime/cuda\"\n\"github.com/cudagen/cudagen/runtime/cusparse\"\n)\n\nfunc _(dev *cuda.Device, s *cuda.Stream, h *cusparse.Handle, rows, columns int, offsets, indices *cuda.Buffer[int32], values, xs, ys *cuda.Buffer[float32]) {\n"+
		blocks[5][1]+"_ = err\n}\n")
}

// Types inside of structs have Go names of their members, and nvcc confirms them as such.
func TestNestedTypes(t *testing.T) {
	text := prelude + `typedef struct { int kind; struct inner { float x; struct { char c; enum { QA, QB = HERE } k; } in[2]; } p[3]; } one;
typedef struct { double kind; struct inner { MORE int x; } p; enum mode { M0, M1 } m; } two;
//cudagen:out p q
extern "C" void f(int v, one *p, two *q);
`
	code := strings.NewReplacer("HERE", "7", "MORE", "").Replace(text)
	made, err := generate(t, code, func() (compile.Compiler, error) { return compile.FindNVCC(os.Getenv) })
	if errors.As(err, new(*compile.NotFoundError)) {
		made, err = generate(t, code, confirmed)
	}
	require.NoError(t, err)
	check(t, made)
	for _, want := range []string{"P    [3]OneInner\n", "In [2]OneInnerIn\n", "K OneInnerInK\n", "QB OneInnerInK = 7", "P    TwoInner\n", "M    TwoMode\n", "type TwoInner struct {\n\tX int32\n}"} {
		assert.Contains(t, made, want)
	}

	// What the compiler sees otherwise, it refuses.
	testenv.Need(t, testenv.NVCC)
	for _, here := range []*strings.Replacer{strings.NewReplacer("HERE", "\n#ifdef OTHER\n8\n#else\n7\n#endif\n", "MORE", ""), strings.NewReplacer("HERE", "7", "MORE", "\n#ifdef OTHER\nfloat y;\n#endif\n")} {
		_, err := generate(t, here.Replace(text), func() (compile.Compiler, error) {
			c, err := compile.FindNVCC(os.Getenv)
			return other{c}, err
		})
		assert.ErrorContains(t, err, "is not what cudagen reads: the compiler says: ")
	}
}

// An include whose name is a macro counts: what it names is read, and is an input from then on.
func TestIncludeByMacro(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	write("lib.h", prelude+"#define CONFIG \"config.h\"\n#include CONFIG\n//cudagen:out p\nextern \"C\" void f(struct item *p);\n")
	write("config.h", "struct item { int a; };\n")
	o := clib.Options{Source: filepath.Join(folder, "lib.h"), Package: "lib", FindCompiler: confirmed}
	generates := func(want bool) {
		t.Helper()
		result, err := clib.Generate(t.Context(), o)
		require.NoError(t, err)
		assert.Equal(t, want, result.Written)
	}
	generates(true)
	generates(false)
	write("config.h", "struct item { int a, b; };\n")
	o.Check = true
	result, err := clib.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, "config.h changed", result.Stale)
	o.Check = false
	generates(true)
	generates(false)
	// A name that is not included any more is no input.
	write("lib.h", prelude+"extern \"C\" void f(int n);\n")
	generates(true)
	write("config.h", "")
	generates(false)
}

// What C has not written, after a failure, is not read.
func TestFailedCopies(t *testing.T) {
	made, err := generate(t, prelude+"//cudagen:status lib_status\n\n//cudagen:out n\n//cudagen:out x=host(2)\nextern \"C\" lib_status f(int *n, float **x);\n", confirmed)
	require.NoError(t, err)
	check(t, made)
	assert.Contains(t, made, "\tif err != nil {\n\t\treturn n, nil, err\n\t}\n\treturn n, clib.Copied[float32](x, count_x), err\n")
}

// A typedef of int is a status if a directive says so.
func TestStatusTypedef(t *testing.T) {
	made, err := generate(t, prelude+"//cudagen:status lib_code\n\ntypedef int lib_code;\nextern \"C\" lib_code f(int n);\n", confirmed)
	require.NoError(t, err)
	check(t, made)
	assert.Contains(t, made, "type LibCode int32\n")
	assert.Contains(t, made, "func F(d *cuda.Device, n int32) error {")
}

// Handles are pointers to structs, with typedefs or without, and what functions return.
func TestStructHandles(t *testing.T) {
	made, err := generate(t, prelude+`//cudagen:status lib_status text=lib_text
//cudagen:handle struct tape* destroy=tape_close
//cudagen:handle pool * destroy=pool_close
//cudagen:makes *_open pool_copy
//cudagen:rename tape=Tape
struct tape;
typedef struct pool_s { int n; } pool;
extern "C" {
const char *lib_text(int status);
struct tape *tape_open(int n);
void tape_close(const struct tape *t);
//cudagen:keep length=n
//cudagen:len x=n
pool *pool_open(struct tape *of, float *x, int n);
lib_status pool_copy(struct pool_s **to, const pool *from);
//cudagen:len y=p.length
//cudagen:hold y=p.x
lib_status pool_use(const pool *p, float *y);
unsigned pool_close(pool *p);
}
`, confirmed)
	require.NoError(t, err)
	check(t, made)
	for _, want := range []string{
		"func TapeOpen(d *cuda.Device, n int32) (*Tape, error) {",
		"func PoolOpen(d *cuda.Device, of *Tape, x cuda.Slice[float32], n int32) (*Pool, error) {",
		"h.object.Hold(0, x.Owner())",
		"func PoolCopy(d *cuda.Device, from *Pool) (*Pool, error) {",
		"func (h *Pool) PoolUse(y cuda.Slice[float32]) error {",
		`c_pool_close = clib.Function{Library: &library, Symbol: "pool_close", Number: true}`,
		`c_tape_close = clib.Function{Library: &library, Symbol: "tape_close", Silent: true}`,
	} {
		assert.Contains(t, strings.Join(strings.Fields(made), " "), strings.Join(strings.Fields(want), " "))
	}
}

// Directives count in whatever order they stand, for the expressions of others, too.
func TestOrderOfDirectives(t *testing.T) {
	made, err := generate(t, prelude+"//cudagen:len x=len(y) z=n\n//cudagen:host y=m\n//cudagen:value n\nextern \"C\" void f(float *x, const float *y, int m, float *z, const int *n, cudaStream_t s);\n", confirmed)
	require.NoError(t, err)
	check(t, made)
	assert.Contains(t, made, "int64(len(y))")
}
