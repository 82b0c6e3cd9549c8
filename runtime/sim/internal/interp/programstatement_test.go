package interp

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program makes a file of kernels k0, k1, … from seed.
func program(seed uint64, kernels int) string {
	p := &programMaker{Rand: rand.New(rand.NewPCG(seed, 7))}
	p.line("#include \"common.h\"")
	p.line("__constant__ u32 fixedWords[16] = {%s};", p.numbers(16))
	p.line("__device__ u64 words[8] = {%s};", p.numbers(8))
	p.line("struct Shape { FN virtual u32 area(u32 x) const { return x; } FN virtual ~Shape() {} u32 side = 3; };")
	for n := range kernels {
		p.functions = nil
		for range 2 + p.IntN(4) {
			p.function()
		}
		p.kernelOf(fmt.Sprint("k", n))
	}
	return p.String()
}

func (p *programMaker) numbers(n int) string {
	var all []string
	for range n {
		all = append(all, fmt.Sprintf("%#xu", p.Uint32()))
	}
	return strings.Join(all, ", ")
}

// function makes a function that those behind it may call.
func (p *programMaker) function() {
	f := helper{name: p.name("f"), result: common[p.IntN(len(common))]}
	kind := p.pick("NOINLINE", "NOINLINE", "NOINLINE", "NOINLINE", "INLINE", "")
	p.apart(3+p.IntN(6), func() {
		var parameters []string
		parameter := func(typ, text string) {
			f.parameters = append(f.parameters, typ)
			parameters = append(parameters, text)
		}
		switch p.IntN(10) {
		case 0, 1:
			f.masked, f.result = true, p.pick("u32", "u64", "i32")
			parameters = append(parameters, "u32 mask")
			p.mask = "mask"
		case 2, 3:
			f.points = true
			p.remember(named{text: "(*p)", typ: f.result})
			p.remember(named{text: "q", typ: "u32", count: 8})
			p.remember(named{text: "s->v", typ: "u32", count: 5})
			parameters = append(parameters, f.result+" *p", "u32 *q", "S3 *s")
		case 4:
			f.deep = true
			kind = "NOINLINE"
		}
		for range 1 + p.IntN(4) {
			typ, name := common[p.IntN(len(common))], p.name("a")
			parameter(typ, typ+" "+name)
			p.remember(named{text: name, typ: typ})
		}
		if f.deep {
			parameter("i32", "i32 deep")
			p.remember(named{text: "deep", typ: "i32", fixed: true})
		}
		if !f.masked {
			p.returns = f.result
		}
		p.within(fmt.Sprintf("static %s FN %s %s(%s)", kind, f.result, f.name, strings.Join(parameters, ", ")), func() {
			p.line("%s result = %s;", f.result, p.literal(f.result))
			p.remember(named{text: "result", typ: f.result})
			if f.deep {
				p.line("if (deep <= 0) return %s;", p.expr(f.result, 2))
			}
			for p.fuel > 0 {
				p.statement()
			}
			if f.deep {
				for range 1 + p.IntN(2) {
					var args []string
					for _, typ := range f.parameters[:len(f.parameters)-1] {
						args = append(args, p.expr(typ, 1))
					}
					wide := strings.Replace(strings.Replace(f.result, "i", "u", 1), "u16", "u32", 1)
					p.line("result = (%s)((%s)result %s (%s)%s(%s));", f.result, wide, p.pick("+", "-", "*"), wide, f.name, strings.Join(append(args, "deep - "+p.pick("1", "1", "2")), ", "))
					if strings.HasPrefix(f.result, "f") || strings.HasPrefix(f.result, "i") {
						break
					}
				}
			}
			p.line("return %s;", p.expr(f.result, 2))
		})
	})
	p.functions = append(p.functions, f)
}

// kernelOf makes a kernel. Its blocks have at most 128 threads.
func (p *programMaker) kernelOf(name string) {
	p.apart(12+p.IntN(25), func() {
		p.within(fmt.Sprintf("extern \"C\" __global__ void %s(u64 *__restrict__ out, u32 *global, const u32 *__restrict__ in, u32 n)", name), func() {
			p.line("__shared__ u32 shared[128]; __shared__ u32 own[128][4]; __shared__ u32 sums[8]; __shared__ u64 wide[128];")
			p.line("const u32 threads = blockDim.x * blockDim.y, tid = threadIdx.x + threadIdx.y * blockDim.x, gid = blockIdx.x * threads + tid;")
			p.line("const u32 lane = tid & 31, full = (tid | 31) >= threads && threads %% 32 ? (1u << threads %% 32) - 1 : ~0u;")
			p.line("u64 h = n;")
			p.line("for (u32 i = 0; i < 4; i++) own[tid][i] = gid * (i + 3), global[16 + gid * 4 + i] = in[(gid + i) & 255];")
			p.line("if (tid < 8) sums[tid] = tid;")
			p.line("shared[tid] = wide[tid] = 0;")
			p.line("__syncthreads();")
			for _, v := range []named{{text: "tid", typ: "u32"}, {text: "lane", typ: "u32"}, {text: "n", typ: "u32"}, {text: "gid", typ: "u32"}, {text: "in", typ: "u32", count: 256},
				{text: "fixedWords", typ: "u32", count: 16}, {text: "words", typ: "u64", count: 8}} {
				v.fixed = true
				p.remember(v)
			}
			p.remember(named{text: "own[tid]", typ: "u32", count: 4})
			p.mask, p.block, p.kernel = "full", true, true
			for p.fuel > 0 {
				p.statement()
			}
			for _, v := range p.scope {
				p.mixed(v)
			}
			p.line("__syncthreads();")
			p.line("for (u32 i = 0; i < 4; i++) { MIX(own[tid][i]); MIX(global[16 + gid * 4 + i]); }")
			p.line("MIX(sums[tid & 7]);")
			p.line("out[gid] = h;")
		})
	})
}

// mixed puts a variable into the checksum.
func (p *programMaker) mixed(v named) {
	switch {
	case v.fixed:
	case v.count > 0:
		p.line("for (u32 i = 0; i < %d; i++) MIX(%s[i]);", v.count, v.text)
	default:
		p.line("MIX(%s);", v.text)
	}
}

// inside is a block of some statements that not all threads run.
func (p *programMaker) inside(head, mask string) {
	p.within(head, func() {
		saved := p.surroundings
		p.block = false
		if mask != "" {
			p.mask = mask
		} else if head != "" {
			p.mask = ""
		}
		p.some()
		p.surroundings.mask, p.surroundings.block = saved.mask, saved.block
	})
}

func (p *programMaker) some() {
	for range 1 + p.IntN(3) {
		p.statement()
	}
}

// statement makes a statement.
func (p *programMaker) statement() {
	p.fuel--
	if p.fuel < 0 {
		return
	}
	switch n := p.IntN(100); {
	case n < 12:
		p.declaration()
	case n < 34:
		p.assignment()
	case n < 43:
		p.choice()
	case n < 51:
		p.loop()
	case n < 55:
		p.switches()
	case n < 60:
		p.exchangeInWarp()
	case n < 65:
		p.exchangeInBlock()
	case n < 69:
		p.atomics()
	case n < 74:
		p.array()
	case n < 79:
		p.structs()
	case n < 84:
		p.calls()
	case n < 87:
		p.pointers()
	case n < 90:
		p.copies()
	case n < 92:
		p.lambda()
	case n < 94:
		p.functionPointer()
	case n < 95:
		p.duff()
	case n < 96:
		p.vector()
	case n < 97:
		p.virtual()
	case n < 98:
		p.heap()
	default:
		p.leave()
	}
}

func (p *programMaker) declaration() {
	typ, name := common[p.IntN(len(common))], p.name("v")
	p.line("%s%s %s = %s;", p.pick("", "", "", "", "", "volatile "), typ, name, p.expr(typ, 3))
	p.remember(named{text: name, typ: typ})
}

func (p *programMaker) assignment() {
	typ := common[p.IntN(len(common))]
	to := p.load(typ, true, 1)
	if to == "" {
		p.declaration()
		return
	}
	if strings.HasPrefix(typ, "u") && p.chance(30) {
		p.line("%s %s= %s;", to, p.pick("+", "-", "^", "|", "&"), p.expr(typ, 2))
		return
	}
	if typ == "u32" || typ == "u64" {
		if p.chance(10) {
			p.line("%s%s;", to, p.pick("++", "--"))
			return
		}
	}
	p.line("%s = %s;", to, p.expr(typ, 3))
}

// choice is an if, with what a warp exchanges in it if there is a mask of those who are there.
func (p *programMaker) choice() {
	if p.block && p.chance(25) {
		p.within(fmt.Sprintf("if ((n + blockIdx.x * %d) %% %d)", p.IntN(3), 2+p.IntN(2)), p.some)
		return
	}
	if p.mask != "" && p.chance(60) {
		is, here := p.name("is"), p.name("here")
		p.line("const bool %s = %s; const u32 %s = __ballot_sync(%s, %s);", is, p.condition(2), here, p.mask, is)
		p.inside("if ("+is+")", here)
		if p.chance(60) {
			p.inside("else", "("+p.mask+" & ~"+here+")")
		}
		return
	}
	p.inside("if ("+p.condition(2)+")", "")
	if p.chance(50) {
		p.inside("else", "")
	}
}

func (p *programMaker) loop() {
	if p.loops >= 2 {
		p.assignment()
		return
	}
	p.loops++
	defer func() { p.loops-- }()
	i := p.name("i")
	counter := named{text: i, typ: "u32", fixed: true}
	switch n := p.IntN(7); {
	case n == 0 && p.mask != "": // those who are there become fewer
		here := p.name("here")
		p.line("u32 %s = %s;", here, p.mask)
		leaves := p.leaves
		p.within(fmt.Sprintf("for (u32 %s = 0; %s < %d; %s++)", i, i, 2+p.IntN(4), i), func() {
			p.remember(counter)
			is := p.name("is")
			saved := p.surroundings
			p.line("const bool %s = %s; const u32 next%s = __ballot_sync(%s, %s);", is, p.condition(2), is, here, is)
			p.line("if (!%s) %s;", is, "break")
			p.line("%s = next%s;", here, is)
			p.mask, p.block, p.leaves = here, false, false
			p.some()
			p.mask, p.block, p.leaves = saved.mask, saved.block, saved.leaves
		})
		p.leaves = leaves
	case n <= 2: // all run as often
		mask := p.mask
		bound := fmt.Sprint(1 + p.IntN(5))
		if p.kernel && p.chance(50) {
			bound = fmt.Sprintf("(n & 3) + %d", p.IntN(2))
		}
		leaves := p.leaves
		p.within(fmt.Sprintf("for (u32 %s = 0; %s < %s; %s++)", i, i, bound, i), func() {
			p.remember(counter)
			p.leaves = mask == ""
			p.some()
		})
		p.leaves = leaves
	case n == 3:
		p.line("u32 %s = 0;", i)
		p.within("do", func() {
			mask, block := p.mask, p.block
			p.mask, p.block, p.leaves = "", false, true
			p.some()
			p.mask, p.block = mask, block
		})
		p.line("while (%s++ < %d && %s);", i, p.IntN(5), p.condition(2))
	default:
		head := fmt.Sprintf("for (u32 %s = 0; %s < %d && %s; %s++)", i, i, 1+p.IntN(6), p.condition(1), i)
		if p.chance(50) {
			head = fmt.Sprintf("for (u32 %s = 0, to%s = %s & 7; %s < to%s; %s++)", i, i, p.expr("u32", 2), i, i, i)
		}
		p.within(head, func() {
			mask, block := p.mask, p.block
			p.mask, p.block, p.leaves = "", false, true
			p.remember(counter)
			p.some()
			p.mask, p.block = mask, block
		})
	}
}

func (p *programMaker) switches() {
	if p.loops > 2 {
		return
	}
	cases := 3 + p.IntN(8)
	value, labels := fmt.Sprintf("%s %% %d", p.expr("u32", 2), cases+1), func(n int) string { return fmt.Sprint(n) }
	if p.chance(30) {
		value, labels = p.expr("u32", 2)+" & 0xf0f", func(n int) string { return fmt.Sprint(n * 257 & 0xf0f) }
	}
	p.within("switch ("+value+")", func() {
		saved := p.surroundings
		p.mask, p.block, p.leaves = "", false, false
		for n := range cases {
			label := fmt.Sprintf("case %s:", labels(n))
			if n == cases-1 && p.chance(70) {
				label = "default:"
			}
			p.within(label, p.some)
			if p.chance(70) {
				p.line("break;")
			}
		}
		p.mask, p.block, p.leaves = saved.mask, saved.block, saved.leaves
	})
}

// leave leaves the loop or the function.
func (p *programMaker) leave() {
	switch {
	case p.leaves && p.mask == "":
		p.line("if (%s) %s;", p.condition(2), p.pick("break", "continue"))
	case p.returns != "" && p.mask == "" && !p.kernel:
		p.line("if (%s) return %s;", p.condition(2), p.expr(p.returns, 2))
	default:
		p.assignment()
	}
}
