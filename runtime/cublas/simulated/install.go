package simulated

import (
	"reflect"
	"strings"

	"github.com/cudagen/cudagen/runtime/cublas"
)

func init() {
	addLevel1()
	addLevel2()
	addLevel3()
	addGemm()
	addBeyond()
	install(reflect.ValueOf(&cublas.Simulated).Elem())
}

// An operation takes the arguments of a call, and returns what the call does in the order of its stream.
type operation func(c *call) job

// install sets the fields for which there are operations: each is with scalars of the host and of the device.
func install(fields reflect.Value) {
	for i := range fields.NumField() {
		name := strings.TrimPrefix(fields.Type().Field(i).Name, "Handle")
		base, device := strings.CutSuffix(name, "Device")
		if op := operations[base]; op != nil && fields.Field(i).IsNil() {
			fields.Field(i).Set(made(fields.Field(i).Type(), name, op, device))
		}
	}
}

// operations are what functions do, by their names without Device.
var operations = make(map[string]operation)

// four adds operations that BLAS has for all types; ? stands for the type.
func four(name string, s, d, c, z operation) {
	two(name, s, d)
	twoComplex(name, c, z)
}

func two(name string, s, d operation) {
	operations[strings.ReplaceAll(name, "?", "S")] = s
	operations[strings.ReplaceAll(name, "?", "D")] = d
}

func twoComplex(name string, c, z operation) {
	operations[strings.ReplaceAll(name, "?", "C")] = c
	operations[strings.ReplaceAll(name, "?", "Z")] = z
}

func made(t reflect.Type, name string, op operation, device bool) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		c := &call{name: name, args: args[1:], handle: args[0].Interface().(*cublas.Handle), device: device}
		for i := range t.NumOut() - 1 {
			c.results = append(c.results, reflect.New(t.Out(i)).Elem())
		}
		err := reflect.New(t.Out(t.NumOut() - 1)).Elem()
		if e := c.do(op); e != nil {
			err.Set(reflect.ValueOf(e))
		}
		return append(c.results, err)
	})
}
