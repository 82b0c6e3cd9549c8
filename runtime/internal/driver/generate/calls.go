package main

import (
	"fmt"
	"slices"
	"strings"
)

// maxPlain is how many arguments libcuda's callRecord has, and maxFrame its frame.
const (
	maxPlain  = 6
	maxFrame  = 8
	maxOut    = 2 // results that a frame has room for
	maxBehind = 3 // arguments behind the address of the result in callOut
)

// A form is a way to make a call in libcuda.
type form int

const (
	plainForm   form = iota // values alone
	addressForm             // values, and Go memory at the first two places
	outForm                 // the address of a result, then values
	frameForm               // results at other places, or two
)

// checkCall returns why libcuda's method cannot be generated.
func (t *table) checkCall(r row) error {
	for _, v := range r.params {
		if v.typ != "unsafe.Pointer" && !t.isInteger(v.typ) {
			return fmt.Errorf("parameter %s: a %s is not passed in one register: write libcuda's method by hand", v.name, v.typ)
		}
	}
	for _, v := range r.results {
		if t.convert(v.typ, "x") == "" {
			return fmt.Errorf("a result of type %s does not lie in 8 bytes: write libcuda's method by hand", v.typ)
		}
	}
	_, err := r.form()
	return err
}

// form returns how libcuda makes the call.
func (r row) form() (form, error) {
	var pointers, outs int
	for i, a := range r.call {
		if a.result >= 0 {
			outs++
		}
		if a.param >= 0 && r.params[a.param].typ == "unsafe.Pointer" {
			if pointers++; i > 1 {
				return 0, fmt.Errorf("the address of Go memory stands behind the second argument: write libcuda's method by hand")
			}
		}
	}
	switch {
	case pointers > 0 && outs > 0:
		return 0, fmt.Errorf("the addresses of Go memory and of a result: write libcuda's method by hand")
	case outs > maxOut || len(r.call) > maxFrame || outs == 0 && len(r.call) > maxPlain:
		return 0, fmt.Errorf("too many arguments: write libcuda's method by hand")
	case pointers > 0:
		return addressForm, nil
	case outs == 0:
		return plainForm, nil
	case outs == 1 && r.call[0].result >= 0 && len(r.call) <= 1+maxBehind:
		return outForm, nil
	}
	return frameForm, nil
}

// underlying returns the basic type of typ.
func (t *table) underlying(typ string) string {
	if of, ok := t.basic[typ]; ok {
		return of
	}
	return typ
}

func (t *table) isInteger(typ string) bool {
	return slices.Contains([]string{"int", "int32", "uint8", "uint16", "uint32", "uint64", "uintptr"}, t.underlying(typ))
}

// convert returns the expression for the value of type typ that the driver wrote to the
// uint64 x, or "". An int is 32 bits wide in C, and so is a bool.
func (t *table) convert(typ, x string) string {
	switch typ {
	case "int":
		return "int(int32(" + x + "))"
	case "bool":
		return "int32(" + x + ") != 0"
	case "float32":
		return "math.Float32frombits(uint32(" + x + "))"
	case "unsafe.Pointer":
		return "pointer(" + x + ")"
	case "uint64":
		return x
	}
	switch t.underlying(typ) {
	case "int32":
		return qualified(typ) + "(int32(" + x + "))"
	case "uint32", "uint64", "uintptr":
		return qualified(typ) + "(" + x + ")"
	}
	return ""
}

// writeCalls writes the methods of libcuda.Driver that are nothing but their calls.
func (t *table) writeCalls(f *goFile) {
	f.print("//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)\n\npackage libcuda\n\n")
	f.imports("math", "unsafe", driverPath)
	for _, r := range t.rows {
		if r.noEntryPoint || r.byHand {
			continue
		}
		if r.elsewhere {
			f.print("func (d *Driver) %s%s {\nr := d.%s(%s)\nif r == driver.ErrorInvalidValue {\n", r.name, r.signature(qualified), r.method(), r.passOn())
			f.print("r = d.inContextOf(s, func() driver.Result { return d.%s(%s) })\n}\nreturn r\n}\n\n", r.method(), r.passOn())
		}
		f.print("func (d *Driver) %s%s ", r.method(), r.signature(qualified))
		switch how, _ := r.form(); how {
		case plainForm:
			f.print("{\nreturn d.callPlain(%s)\n}\n\n", r.passed(r.call))
		case addressForm:
			t.writeAddressForm(f, r)
		case outForm:
			f.print("{\nout, r := d.callOut(%s%s)\nreturn %s, r\n}\n\n", r.passed(r.call[1:]),
				strings.Repeat(", 0", 1+maxBehind-len(r.call)), t.convert(r.results[0].typ, "out"))
		case frameForm:
			t.writeFrameForm(f, r)
		}
	}
}

// method returns the name of the method that is nothing but the call.
func (r row) method() string {
	if r.elsewhere {
		return strings.ToLower(r.name[:1]) + r.name[1:] + "Here"
	}
	return r.name
}

// writeAddressForm passes Go memory as pointers beside the values.
func (t *table) writeAddressForm(f *goFile, r row) {
	addresses, values := [2]string{"nil", "nil"}, []string{}
	for i, a := range r.call {
		if a.param >= 0 && r.params[a.param].typ == "unsafe.Pointer" {
			addresses[i] = r.params[a.param].name
			values = append(values, "0")
			continue
		}
		values = append(values, r.value(a))
	}
	f.print("{\nreturn d.callAt(driver.%s, [6]uintptr{%s}, %s, %s)\n}\n\n", r.name, strings.Join(values, ", "), addresses[0], addresses[1])
}

// writeFrameForm lets the driver write the results to a frame.
func (t *table) writeFrameForm(f *goFile, r row) {
	results := make([]string, len(r.results))
	for i, v := range r.results {
		results[i] = t.convert(v.typ, fmt.Sprintf("f.out[%d]", i))
	}
	assign := ":="
	if r.results[0].name != "" {
		assign = "=" // to the result r
	}
	f.print("{\nf := newFrame()\ndefer f.free()\nr %s d.call(driver.%s, f", assign, r.name)
	for _, a := range r.call {
		if a.result >= 0 {
			f.print(", f.outAddress(%d)", a.result)
		} else {
			f.print(", %s", r.value(a))
		}
	}
	f.print(")\nreturn %s, r\n}\n\n", strings.Join(results, ", "))
}

// passed returns the arguments of callPlain and callOut: the entry point and values.
func (r row) passed(args []argument) string {
	list := []string{"driver." + r.name}
	for _, a := range args {
		list = append(list, r.value(a))
	}
	return strings.Join(list, ", ")
}

// value returns the expression for a parameter, or 0.
func (r row) value(a argument) string {
	if a.param < 0 {
		return "0"
	}
	return "uintptr(" + r.params[a.param].name + ")"
}
