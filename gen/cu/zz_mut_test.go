package cu

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestZZMut(t *testing.T) {
	var seeds [][]byte
	fs, _ := filepath.Glob("testdata/*.cu")
	for _, f := range append(fs, "../../example/kernels.cu") {
		b, _ := os.ReadFile(f)
		seeds = append(seeds, b)
	}
	for _, s := range []string{
		"#include \"self.cu\"\n", "template <class T> struct A : A<T *> {}; A<int>::T x;", "template <class T> using A = A<T>; __global__ void k(A<int> a);",
		"template <int N> struct F { static const int v = F<N - 1>::v; }; const int n = F<9>::v;", "constexpr int f(int n) { return f(n); } const int x = f(1);",
		"template <class T> struct A {}; template <class T> struct A<T *> { T x; }; __global__ void k(A<int *> a);",
		"#define F(x) x ## x # x\nF(F(a))", "#define A A A\nint x[A];", "constexpr int f(int n) { return f(n-1) + f(n-2); } const int x = f(100);",
		"template <int N> struct F { F<N-1> a; F<N-2> b; }; __global__ void k(F<50> a);",
	} {
		seeds = append(seeds, []byte(s), []byte(s))
	}
	r := rand.New(rand.NewSource(1))
	end := time.Now().Add(60 * time.Second)
	n := 0
	var worst time.Duration
	for time.Now().Before(end) {
		s := append([]byte(nil), seeds[r.Intn(len(seeds))]...)
		for i := r.Intn(6); i >= 0 && len(s) > 2; i-- {
			switch a, b := r.Intn(len(s)), r.Intn(len(s)); r.Intn(4) {
			case 0:
				s[a] = s[b]
			case 1:
				if a > b {
					a, b = b, a
				}
				if b-a < 40 {
					s = append(s[:a], s[b:]...)
				}
			case 2:
				o := seeds[r.Intn(len(seeds))]
				c := r.Intn(len(o))
				d := min(len(o), c+r.Intn(40))
				s = append(s[:a:a], append(append([]byte(nil), o[c:d]...), s[a:]...)...)
			case 3:
				if a > b {
					a, b = b, a
				}
				b = min(b, a+50)
				s = append(s[:b:b], s[a:]...)
			}
		}
		begin := time.Now()
		os.WriteFile("/tmp/last.cu", s, 0o644)
		c := fuzzed(s)
		c.ParseFile("f.cu", s)
		if d := time.Since(begin); d > worst {
			worst = d
			if d > time.Second {
				os.WriteFile("/tmp/worst.cu", s, 0o644)
				fmt.Println(d, len(s))
			}
		}
		n++
	}
	fmt.Println(n, worst)
}
