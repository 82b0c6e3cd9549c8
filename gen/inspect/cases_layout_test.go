package inspect_test

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// probe returns text for the end of a source with c in it, which makes the compiler write
// down the layout of its classes: for each a constant that holds its size, its alignment
// and the offset of each field that has one and may be named.
func (c *kernelCase) probe() string {
	var b strings.Builder
	for _, class := range c.Classes {
		fmt.Fprintf(&b, "extern \"C\" __constant__ unsigned long long L_%s[] = {sizeof(%[1]s), alignof(%[1]s)", class.Name)
		for _, name := range class.probed() {
			fmt.Fprintf(&b, ", offsetof(%s, %s)", class.Name, name)
		}
		b.WriteString("};\n")
	}
	return b.String()
}

// assertions is probe for compilers of which only an error can be seen.
func (c *kernelCase) assertions() string {
	var b strings.Builder
	for _, class := range c.Classes {
		for i, n := range class.want() {
			what := fmt.Sprintf("sizeof(%s)", class.Name)
			switch i {
			case 0:
			case 1:
				what = fmt.Sprintf("alignof(%s)", class.Name)
			default:
				what = fmt.Sprintf("offsetof(%s, %s)", class.Name, class.probed()[i-2])
			}
			fmt.Fprintf(&b, "static_assert(%s == %d, \"%s\");\n", what, n, class.Name)
		}
	}
	return b.String()
}

// probed returns the names of the fields whose offsets the compiler can be asked for.
func (c *caseClass) probed() []string {
	if c.Private {
		return nil
	}
	var names []string
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Name != "" && !f.BitField {
			names = append(names, f.Name)
		}
	}
	return names
}

// want returns what package layout says to the questions of probe; nil when it does not know.
func (c *caseClass) want() []int64 {
	class, err := layout.Struct(c.Struct)
	if err != nil {
		return nil
	}
	numbers := []int64{class.Size, class.Align}
	if c.Private {
		return numbers
	}
	for _, name := range c.probed() {
		for _, m := range class.Members {
			if m.Of == c.Struct && m.Name == name {
				numbers = append(numbers, m.Offset)
			}
		}
	}
	return numbers
}

var constant = regexp.MustCompile(`\.const [^;]*?\bL_(\w+)\[(\d+)\](?: = \{([^}]*)\})?;`)

// constants returns the numbers that probe made a compiler write into PTX, by class.
func constants(ptx string) (map[string][]int64, error) {
	all := make(map[string][]int64)
	for _, m := range constant.FindAllStringSubmatch(ptx, -1) {
		size, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		bytes := make([]byte, 0, size)
		for text := range strings.SplitSeq(m[3], ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			n, err := strconv.ParseUint(text, 10, 8)
			if err != nil {
				return nil, err
			}
			bytes = append(bytes, byte(n))
		}
		for len(bytes) < size {
			bytes = append(bytes, 0)
		}
		for ; len(bytes) >= 8; bytes = bytes[8:] {
			all[m[1]] = append(all[m[1]], int64(binary.LittleEndian.Uint64(bytes)))
		}
	}
	return all, nil
}

// layoutDifferences compares what package layout says of the cases with PTX of their source and
// probes. Each difference names the case. What package layout refuses is none.
func layoutDifferences(cases []*kernelCase, ptx []byte) ([]layoutDifference, error) {
	img, err := image.ReadPTX("cases.ptx", ptx)
	if err != nil {
		return nil, err
	}
	written, err := constants(string(ptx))
	if err != nil {
		return nil, err
	}
	var list []layoutDifference
	for _, c := range cases {
		for _, class := range c.Classes {
			if got, want := class.want(), written[class.Name]; got != nil && !slices.Equal(got, want) {
				list = append(list, layoutDifference{c, fmt.Sprintf("%s: size, alignment and offsets %v are %v, the compiler says %v", class.Name, class.probed(), got, want)})
			}
		}
		kernel, err := img.Find(c.Name, nil)
		if err != nil {
			return nil, err
		}
		if text := c.compare(kernel); text != "" {
			list = append(list, layoutDifference{c, text})
		}
	}
	return list, nil
}

// A layoutDifference is a case in which package layout and a compiler disagree.
type layoutDifference struct {
	Case *kernelCase
	Text string // what differs, with both numbers
}

// compare compares the parameters of c with those of the kernel in an image.
func (c *kernelCase) compare(kernel *image.Kernel) string {
	places, _, _, err := layout.Params(c.Params)
	if err != nil {
		return ""
	}
	var params []image.Param
	for _, place := range places {
		params = append(params, image.Param{Offset: place.Offset, Size: place.Size, Align: place.Align})
	}
	if err := compare.Block(c.Name, params, kernel); err != nil {
		return err.Error()
	}
	return ""
}
