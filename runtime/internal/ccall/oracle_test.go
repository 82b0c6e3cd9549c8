//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package ccall_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/dynlib"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// A kind is a type of C that arguments and results have.
type kind struct {
	c      string
	bits   int
	signed bool
	float  bool
}

var kinds = []kind{
	{"int8_t", 8, true, false}, {"uint8_t", 8, false, false}, {"int16_t", 16, true, false}, {"uint16_t", 16, false, false},
	{"int32_t", 32, true, false}, {"uint32_t", 32, false, false}, {"int64_t", 64, true, false}, {"uint64_t", 64, false, false},
	{"void *", 64, false, false}, {"enum choice", 32, false, false}, {"float", 32, false, true}, {"double", 64, false, true},
}

// word returns value as the word of an argument: what is above 4 bytes of a narrow kind stays.
func (k kind) word(value uint64) uint64 {
	if k.bits >= 32 {
		return value
	}
	return value&^0xffffffff | k.extended(value)&0xffffffff
}

// extended returns value as C converts it from k to uint64_t, or the bits of a float.
func (k kind) extended(value uint64) uint64 {
	shift := 64 - k.bits
	if k.signed {
		return uint64(int64(value<<shift) >> shift)
	}
	return value << shift >> shift
}

// A prototype is a C function: its arguments, and the kind of its result.
type prototype struct {
	arguments []kind
	result    kind
}

// randomPrototype has at most that many arguments. Some prototypes have floats only where registers hold them,
// others mainly floats.
func randomPrototype(r *rand.Rand, most int) (p prototype) {
	floats := r.IntN(3)
	for range r.IntN(most + 1) {
		k := kinds[r.IntN(len(kinds))]
		for range floats {
			if !k.float {
				k = kinds[r.IntN(len(kinds))]
			}
		}
		p.arguments = append(p.arguments, k)
	}
	p.result = kinds[r.IntN(len(kinds))]
	return p
}

// definition returns the C function of that name, which stores all arguments in seen and returns what the
// function result is told of.
func (p prototype) definition(name string) string {
	var parameters, body []string
	for i, k := range p.arguments {
		parameters = append(parameters, fmt.Sprintf("%s a%d", k.c, i))
		if k.float {
			body = append(body, fmt.Sprintf("\tseen[%d] = 0; memcpy(&seen[%d], &a%d, sizeof a%d);\n", i, i, i, i))
		} else {
			body = append(body, fmt.Sprintf("\tseen[%d] = (uint64_t)a%d;\n", i, i))
		}
	}
	if parameters == nil {
		parameters = []string{"void"}
	}
	return fmt.Sprintf("%s %s(%s)\n{\n\taligned();\n%s\t%s r; memcpy(&r, &result, sizeof r); return r;\n}\n",
		p.result.c, name, strings.Join(parameters, ", "), strings.Join(body, ""), p.result.c)
}

// prelude begins the library. Its functions use seen and result, whose content Go reads and writes through calls
// of one and two arguments.
const prelude = `#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum choice { FIRST, LAST = 0xffffffffu };

static uint64_t seen[64], result, misaligned;

// aligned notes whether the stack was not aligned to 16 bytes: the compiler places what must be from the stack
// pointer without a check, and does not know the address that the assembly returns.
__attribute__((noinline)) void aligned(void)
{
	_Alignas(16) char local[16];
	uintptr_t address = (uintptr_t)local;
	__asm__ volatile("" : "+r"(address) : : "memory");
	misaligned |= address % 16;
}

void empty(void) {}

// hold returns when release was called.
static atomic_int released;
void hold(void *memory) { while (!atomic_exchange(&released, 0)) usleep(100); }
void release(void) { released = 1; }

void set(uint64_t r) { result = r; }
void get(uint64_t *to) { memcpy(to, seen, sizeof seen); memset(seen, 0xa5, sizeof seen); }
uint64_t get_misaligned(void) { return misaligned; }
`

// A library is a C library that was compiled for the test.
type library struct{ handle uintptr }

func compile(t testing.TB, source string) library {
	t.Helper()
	sources := fstest.MapFS{"library.c": {Data: []byte(prelude + source)}}
	image := testenv.CompileC(t, testenv.CCPath(t), []string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,--no-as-needed"}, sources, "library.c")
	path := filepath.Join(t.TempDir(), "library.so")
	require.NoError(t, os.WriteFile(path, image, 0o700))
	handle, err := dynlib.Load(path)
	require.NoError(t, err)
	return library{handle}
}

func (l library) symbol(t testing.TB, name string) uintptr {
	t.Helper()
	address := dynlib.Symbol(l.handle, name)
	require.NotZero(t, address, name)
	return address
}

// invoke calls the function of that name with integers.
func (l library) invoke(t testing.TB, name string, words ...uint64) uint64 {
	t.Helper()
	return ccall.Invoke(&ccall.Call{Function: l.symbol(t, name), Words: unsafe.Pointer(unsafe.SliceData(words)), Count: uintptr(len(words))})
}

// seen returns what the last function was called with.
func (l library) seen(t testing.TB, count int) []uint64 {
	t.Helper()
	seen := new([64]uint64)
	words := struct{ to unsafe.Pointer }{unsafe.Pointer(seen)}
	ccall.Invoke(&ccall.Call{Function: l.symbol(t, "get"), Words: unsafe.Pointer(&words), Count: 1})
	return seen[:count]
}

// run calls p's function with words, and returns its result.
func (l library) run(t testing.TB, p prototype, name string, words []uint64) uint64 {
	t.Helper()
	call := ccall.Call{Function: l.symbol(t, name), Words: unsafe.Pointer(unsafe.SliceData(words)), Count: uintptr(len(words))}
	for i, k := range p.arguments {
		if k.float {
			call.Floats |= 1 << i
		}
	}
	if p.result.float {
		return ccall.InvokeFloat(&call)
	}
	return ccall.Invoke(&call)
}

// symbol returns the address of a function of the C library, which each library refers to.
func symbol(t testing.TB, name string) uintptr { return compile(t, "").symbol(t, name) }
