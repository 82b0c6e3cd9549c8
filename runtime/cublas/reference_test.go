package cublas_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/cudagen/cudagen/runtime/cublas"
)

// A drawing has arguments for a function, and how many elements of each slice the function uses with them.
type drawing struct {
	method
	r      *rand.Rand
	ints   map[string]int
	need   map[string]int // elements, by parameter; scalars in the memory of the device, which are not there, are one
	at     int            // where the matrix or vector of a batch begins
	bad    bool           // columns of a matrix or several results would overlap, or a stride is negative
	groups []int
	most   int // the largest size
}

// draw draws arguments for m with sizes up to most, and touches what it uses. It reports whether it knows m.
func draw(m method, r *rand.Rand, most int) (*drawing, bool) {
	d := &drawing{method: m, r: r, ints: make(map[string]int), need: make(map[string]int), most: most}
	for _, f := range families {
		if f.name.MatchString(m.base()) {
			f.touch(d)
			return d, true
		}
	}
	return d, false
}

var dataTypes = []cublas.DataType{cublas.R8I, cublas.R16F, cublas.R16BF, cublas.R32F, cublas.C32F, cublas.R64F, cublas.C64F}
var sizes = map[int]int{int(cublas.R8I): 1, int(cublas.R16F): 2, int(cublas.R16BF): 2, int(cublas.R32F): 4, int(cublas.C32F): 8, int(cublas.R64F): 8, int(cublas.C64F): 16}

var computeTypes = []cublas.ComputeType{cublas.Compute16F, cublas.Compute16FPedantic, cublas.Compute32F, cublas.Compute32FPedantic, cublas.Compute32FFast16F, cublas.Compute32FFastTF32, cublas.Compute64F, cublas.Compute64FPedantic, cublas.Compute32I}

// i returns the argument called name, which it draws when it is asked for first.
func (d *drawing) i(name string) int {
	v, ok := d.ints[name]
	if !ok {
		v = d.number(name)
		d.ints[name] = v
	}
	return v
}

func (d *drawing) number(name string) int {
	switch {
	case strings.HasPrefix(name, "inc"):
		return []int{-3, -2, -1, 1, 2, 3}[d.r.IntN(6)]
	case strings.HasPrefix(name, "stride"):
		return d.r.IntN(10*d.most+1) - 1
	case strings.HasPrefix(name, "ld"):
		return d.r.IntN(2*d.most + 1)
	case strings.HasPrefix(name, "trans"):
		return d.r.IntN(3)
	case name == "uplo", name == "diag", name == "side", name == "mode":
		return d.r.IntN(2)
	case name == "computeType":
		return int(computeTypes[d.r.IntN(len(computeTypes))])
	case strings.HasSuffix(name, "ype"), name == "xType":
		return int(dataTypes[d.r.IntN(len(dataTypes))])
	}
	return d.r.IntN(d.most + 1) // sizes and counts
}

func (d *drawing) touch(slice string, index int) { d.need[slice] = max(d.need[slice], d.at+index+1) }

// vector touches n elements of which each lies inc behind the one before. With a negative inc the last one comes first: BLAS.
func (d *drawing) vector(slice string, n, inc int) {
	d.need[slice] += 0
	begin := 0
	if inc < 0 {
		begin = (1 - n) * inc
	}
	for i := range n {
		d.touch(slice, begin+i*inc)
	}
}

// matrix touches a matrix that is stored by columns.
func (d *drawing) matrix(slice string, rows, columns int, ld string) {
	d.need[slice] += 0
	d.bad = d.bad || d.i(ld) < max(1, rows)
	for j := range columns {
		for i := range rows {
			d.touch(slice, i+j*d.i(ld))
		}
	}
}

// op touches a matrix of which op(matrix) has rows and columns.
func (d *drawing) op(slice string, trans string, rows, columns int, ld string) {
	if d.i(trans) != 0 {
		rows, columns = columns, rows
	}
	d.matrix(slice, rows, columns, ld)
}

// triangle touches a triangle of a matrix.
func (d *drawing) triangle(slice string, n int, ld string) {
	d.need[slice] += 0
	d.bad = d.bad || d.i(ld) < max(1, n)
	for j := range n {
		for i := range n {
			if i == j || (i < j) == (d.i("uplo") == int(cublas.FillModeUpper)) {
				d.touch(slice, i+j*d.i(ld))
			}
		}
	}
}

// packed touches a triangle whose columns lie one behind the other.
func (d *drawing) packed(slice string, n int) {
	d.need[slice] += 0
	at := 0
	for j := range n {
		rows := j + 1
		if d.i("uplo") == int(cublas.FillModeLower) {
			rows = n - j
		}
		for range rows {
			d.touch(slice, at)
			at++
		}
	}
}

// batch does touch for each of a batch, strides apart.
func (d *drawing) batch(stride string, touch func()) {
	d.bad = d.bad || d.i(stride) < 0
	for b := range d.i("batchCount") {
		d.at = b * max(d.i(stride), 0)
		touch()
	}
	d.at = 0
	if d.i("batchCount") == 0 { // what must hold of the arguments must hold nevertheless
		before := maps.Clone(d.need)
		touch()
		for slice := range d.need {
			d.need[slice] = before[slice]
		}
	}
}

// bytes makes bytes of the elements of slice.
func (d *drawing) bytes(slice, dataType string) { d.need[slice] *= sizes[d.i(dataType)] }

// all says that slices have n elements.
func (d *drawing) all(n int, slices ...string) {
	for _, s := range slices {
		if d.has(s) {
			d.need[s] = n
		}
	}
}

// scalar returns the bytes that alpha has: cuBLAS's table of cublasGemmEx.
func (d *drawing) scalar() int {
	size := 4
	switch cublas.ComputeType(d.i("computeType")) {
	case cublas.Compute16F, cublas.Compute16FPedantic:
		size = 2
	case cublas.Compute64F, cublas.Compute64FPedantic:
		size = 8
	}
	if t := cublas.DataType(d.i("ctype")); t == cublas.C32F || t == cublas.C64F {
		size *= 2
	}
	return size
}

// vectors are x and y of level 1.
func vectors(d *drawing) {
	d.vector("x", d.i("n"), d.i("incx"))
	if d.has("y") {
		d.vector("y", d.i("n"), d.i("incy"))
	}
}

// multiplied are x and y of a product with a matrix of m rows and n columns.
func (d *drawing) multiplied(m, n int) {
	if d.has("trans") && d.i("trans") != 0 {
		m, n = n, m
	}
	d.vector("x", n, d.i("incx"))
	if d.has("y") {
		d.vector("y", m, d.i("incy"))
	}
}

func product(d *drawing) {
	d.op("a", "transa", d.i("m"), d.i("k"), "lda")
	d.op("b", "transb", d.i("k"), d.i("n"), "ldb")
	d.matrix("c", d.i("m"), d.i("n"), "ldc")
}

func stridedProduct(d *drawing) {
	d.batch("strideA", func() { d.op("a", "transa", d.i("m"), d.i("k"), "lda") })
	d.batch("strideB", func() { d.op("b", "transb", d.i("k"), d.i("n"), "ldb") })
	d.batch("strideC", func() { d.matrix("c", d.i("m"), d.i("n"), "ldc") })
	d.bad = d.bad || d.i("batchCount") > 1 && min(d.i("m"), d.i("n")) > 0 && d.i("strideC") == 0
}

// unsized checks the leading dimensions of matrices that lie where the elements of a slice say.
func (d *drawing) unsized(touch func(d *drawing)) {
	touch(d)
	clear(d.need)
}

func typedProduct(d *drawing) {
	d.bytes("a", "atype")
	d.bytes("b", "btype")
	d.bytes("c", "ctype")
	if d.has("computeType") {
		d.all(d.scalar(), "alpha", "beta")
	}
}

func ranked(d *drawing) {
	d.op("a", "trans", d.i("n"), d.i("k"), "lda")
	if d.has("b") {
		d.op("b", "trans", d.i("n"), d.i("k"), "ldb")
	}
	d.triangle("c", d.i("n"), "ldc")
}

// sided touches A of a product from the left or right, and the others.
func sided(d *drawing) {
	order := d.i("n")
	if d.i("side") == int(cublas.SideLeft) {
		order = d.i("m")
	}
	d.triangle("a", order, "lda")
	d.matrix("b", d.i("m"), d.i("n"), "ldb")
	if d.has("c") {
		d.matrix("c", d.i("m"), d.i("n"), "ldc")
	}
}

func nothing(*drawing) {}

// families has what functions use, by names without cublas, _v2 and _64. The loops are those of BLAS's definition.
var families = func() (list []family) {
	for _, one := range []struct {
		name  string
		touch func(d *drawing)
	}{
		{"I?[sdczSDCZ]+(nrm2|asum|dot[uc]?|scal|axpy|copy|swap|rot|amax|amin)", vectors},
		{"[SD]rotm", func(d *drawing) { vectors(d); d.all(5, "param") }},
		{"[SD]rotmg", func(d *drawing) { d.all(5, "param") }},
		{"[SDCZ]rotg", nothing},
		{"(Nrm2|Asum|Dot|Dotc|Scal|Axpy|Copy|Swap|Rot|Rotm|Iamax|Iamin)Ex", func(d *drawing) {
			vectors(d)
			d.bytes("x", "xType")
			if d.has("y") {
				d.bytes("y", "yType")
			}
			switch {
			case d.has("resultType"):
				d.all(sizes[d.i("resultType")], "result")
			case d.has("alphaType"):
				d.all(sizes[d.i("alphaType")], "alpha")
			case d.has("csType"):
				d.all(sizes[d.i("csType")], "c", "sArg")
			case d.has("paramType"):
				d.all(5*sizes[d.i("paramType")], "param")
			}
		}},
		{"RotgEx", func(d *drawing) {
			d.all(sizes[d.i("abType")], "a", "b")
			d.all(sizes[d.i("csType")], "c", "sArg")
		}},
		{"RotmgEx", func(d *drawing) {
			for _, one := range []string{"d1", "d2", "x1", "y1"} {
				d.all(sizes[d.i(one+"Type")], one)
			}
			d.all(5*sizes[d.i("paramType")], "param")
		}},

		{"[SDCZ]gemv", func(d *drawing) {
			d.matrix("a", d.i("m"), d.i("n"), "lda")
			d.multiplied(d.i("m"), d.i("n"))
		}},
		{"[SDCZ]gbmv", func(d *drawing) {
			d.matrix("a", d.i("kl")+1+d.i("ku"), d.i("n"), "lda")
			d.multiplied(d.i("m"), d.i("n"))
		}},
		{"[SDCZ](tr[ms]v|symv|hemv)", func(d *drawing) {
			d.triangle("a", d.i("n"), "lda")
			vectors(d)
		}},
		{"[SDCZ](tb[ms]v|sbmv|hbmv)", func(d *drawing) {
			d.matrix("a", d.i("k")+1, d.i("n"), "lda")
			vectors(d)
		}},
		{"[SDCZ](tp[ms]v|spmv|hpmv|spr2?|hpr2?)", func(d *drawing) {
			d.packed("ap", d.i("n"))
			vectors(d)
		}},
		{"[SDCZ]ger[uc]?", func(d *drawing) {
			d.matrix("a", d.i("m"), d.i("n"), "lda")
			d.vector("x", d.i("m"), d.i("incx"))
			d.vector("y", d.i("n"), d.i("incy"))
		}},
		{"[SDCZ](syr2?|her2?)", func(d *drawing) {
			d.triangle("a", d.i("n"), "lda")
			vectors(d)
		}},
		{"(HSH|HSS|TST|TSS|[SDCZ])gemvBatched", func(d *drawing) {
			d.unsized(func(d *drawing) { d.matrix("a", d.i("m"), d.i("n"), "lda") })
			d.all(d.i("batchCount"), "aarray", "xarray", "yarray")
		}},
		{"(HSH|HSS|TST|TSS|[SDCZ])gemvStridedBatched", func(d *drawing) {
			m, n := d.i("m"), d.i("n")
			if d.i("trans") != 0 {
				m, n = n, m
			}
			d.batch("strideA", func() { d.matrix("a", d.i("m"), d.i("n"), "lda") })
			d.batch("stridex", func() { d.vector("x", n, d.i("incx")) })
			d.batch("stridey", func() { d.vector("y", m, d.i("incy")) })
		}},

		{"[HSDCZ]gemm(3m)?", product},
		{"([SC]gemm|Cgemm3m|Gemm)Ex", func(d *drawing) { product(d); typedProduct(d) }},
		{"([HSDCZ]gemm|Cgemm3m)StridedBatched", stridedProduct},
		{"GemmStridedBatchedEx", func(d *drawing) { stridedProduct(d); typedProduct(d) }},
		{"([HSDCZ]gemm|Cgemm3m|Gemm)Batched(Ex)?", func(d *drawing) {
			d.unsized(product)
			d.all(d.i("batchCount"), "aarray", "barray", "carray")
			if d.has("computeType") {
				d.all(d.scalar(), "alpha", "beta")
			}
		}},
		{"(Sgemm|Dgemm|Gemm)GroupedBatched(Ex)?", func(d *drawing) {
			count, problems := d.i("groupCount"), 0
			for range count {
				d.groups = append(d.groups, d.r.IntN(4))
				problems += d.groups[len(d.groups)-1]
			}
			d.all(count, "transaArray", "transbArray", "mArray", "nArray", "kArray", "ldaArray", "ldbArray", "ldcArray", "alphaArray", "betaArray", "groupSize")
			d.all(problems, "aarray", "barray", "carray")
			if d.has("computeType") {
				d.all(count*d.scalar(), "alphaArray", "betaArray")
			}
		}},
		{"Uint8gemmBias", func(d *drawing) {
			d.op("a", "transa", d.i("m"), d.i("k"), "lda")
			d.op("b", "transb", d.i("k"), d.i("n"), "ldb")
			d.op("c", "transc", d.i("m"), d.i("n"), "ldc")
		}},
		{"[SDCZ](syrk|herk|syr2k|her2k|syrkx|herkx)", ranked},
		{"C(syrk|herk)(3m)?Ex", func(d *drawing) { ranked(d); d.bytes("a", "atype"); d.bytes("c", "ctype") }},
		{"[SDCZ](symm|hemm|trmm|trsm)", sided},
		{"[SDCZ]trsmBatched", func(d *drawing) {
			d.unsized(sided)
			d.all(d.i("batchCount"), "a", "b")
		}},

		{"[SDCZ]geam", func(d *drawing) {
			d.op("a", "transa", d.i("m"), d.i("n"), "lda")
			d.op("b", "transb", d.i("m"), d.i("n"), "ldb")
			d.matrix("c", d.i("m"), d.i("n"), "ldc")
		}},
		{"[SDCZ]dgmm", func(d *drawing) {
			n := d.i("n")
			if d.i("mode") == int(cublas.SideLeft) {
				n = d.i("m")
			}
			d.matrix("a", d.i("m"), d.i("n"), "lda")
			d.vector("x", n, d.i("incx"))
			d.matrix("c", d.i("m"), d.i("n"), "ldc")
		}},
		{"[SDCZ](tpttr|trttp)", func(d *drawing) {
			d.packed("ap", d.i("n"))
			d.triangle("a", d.i("n"), "lda")
		}},
		{"[SDCZ](getrf|getri|matinv)Batched", func(d *drawing) {
			d.unsized(func(d *drawing) {
				for slice, ld := range map[string]string{"a": "lda", "c": "ldc", "ainv": "ldaInv"} {
					if d.has(ld) {
						d.matrix(slice, d.i("n"), d.i("n"), ld)
					}
				}
			})
			d.all(d.i("batchSize"), "a", "c", "ainv", "info")
			d.all(d.i("n")*d.i("batchSize"), "p")
		}},
		{"[SDCZ]getrsBatched", func(d *drawing) {
			d.unsized(func(d *drawing) {
				d.matrix("aarray", d.i("n"), d.i("n"), "lda")
				d.matrix("barray", d.i("n"), d.i("nrhs"), "ldb")
			})
			d.all(d.i("batchSize"), "aarray", "barray")
			d.all(d.i("n")*d.i("batchSize"), "devIpiv")
		}},
		{"[SDCZ]geqrfBatched", func(d *drawing) {
			d.unsized(func(d *drawing) { d.matrix("aarray", d.i("m"), d.i("n"), "lda") })
			d.all(d.i("batchSize"), "aarray", "tauArray")
		}},
		{"[SDCZ]gelsBatched", func(d *drawing) {
			d.unsized(func(d *drawing) {
				d.matrix("aarray", d.i("m"), d.i("n"), "lda")
				rows := d.i("m")
				if d.i("trans") != 0 {
					rows = d.i("n")
				}
				d.matrix("carray", rows, d.i("nrhs"), "ldc")
			})
			d.all(d.i("batchSize"), "aarray", "carray", "devInfoArray")
		}},

		{"SetWorkspace", func(d *drawing) { d.all(d.i("workspaceSizeInBytes"), "workspace") }},
		{"SetFixedPointEmulationMantissaBitCountPointer", nothing},
	} {
		list = append(list, family{regexp.MustCompile("^(" + one.name + ")$"), one.touch})
	}
	return list
}()

type family struct {
	name  *regexp.Regexp
	touch func(d *drawing)
}
