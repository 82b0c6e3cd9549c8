package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// This file holds what becomes of calls when what they use ends, as runtime/cuda's endoflife_test.go does. Here a rank is
// alone: TestNobodyWaitsForWhoHasLeft has what others do.

// functions are the exported functions that use something of a device or of other ranks. Of those with type parameters
// there is one instance.
var functions = map[string]any{
	"AllGather": nccl.AllGather[float32], "AllReduce": nccl.AllReduce[float32], "AllToAll": nccl.AllToAll[float32], "Alloc": nccl.Alloc[float32],
	"Broadcast": nccl.Broadcast[float32], "Exchange": nccl.Exchange, "Gather": nccl.Gather[float32], "NewPreMulSum": nccl.NewPreMulSum[float32],
	"Recv": nccl.Recv[float32], "Reduce": nccl.Reduce[float32], "ReduceScatter": nccl.ReduceScatter[float32], "Register": nccl.Register[float32],
	"Run": nccl.Run, "RunWith": nccl.RunWith, "Scatter": nccl.Scatter[float32], "Send": nccl.Send[float32],
}

// A rank is a communicator of one rank, and what operations use.
type rank struct {
	dev   *cuda.Device
	s     *cuda.Stream
	x     *cuda.Buffer[float32]
	peers *nccl.Peers
	comm  *nccl.Comm
	known *nccl.Registration
	ctx   context.Context
}

func aRank(t *testing.T) *rank {
	r := &rank{dev: simtest.New(t, simtest.AllowFault()), ctx: t.Context()}
	var err error
	r.s, err = r.dev.NewStream()
	require.NoError(t, err)
	r.x, err = cuda.Upload(r.s, make([]float32, 4))
	require.NoError(t, err)
	r.peers, err = nccl.Exchange(t.Context(), nccl.World{Size: 1, LocalSize: 1}, nccl.ExchangeConfig{})
	require.NoError(t, err)
	r.comm, err = r.peers.NewComm(t.Context(), r.dev)
	require.NoError(t, err)
	r.known, err = nccl.Register(r.comm, r.x.All())
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{r.known, r.comm, r.peers, r.x, r.s} {
			o := called(func() error { return c.Close() })
			assert.Empty(t, o.problem, "a later Close of a %T", c)
		}
	})
	return r
}

// calls returns calls of all functions, and of all methods of the types that may end.
func (r *rank) calls() map[string]func() error {
	all := make(map[string]func() error)
	add := func(name string, f reflect.Value) {
		all[name] = func() error {
			args := make([]reflect.Value, f.Type().NumIn())
			for i := range args {
				args[i] = r.value(f.Type().In(i))
			}
			results := f.Call(args)
			var err error
			for _, result := range results {
				switch v := result.Interface().(type) {
				case error:
					err = v
				case *nccl.Comm:
					defer v.Close()
				case *nccl.Peers:
					defer v.Close()
				case *cuda.Buffer[float32]:
					defer v.Close()
				case *nccl.Registration:
					defer v.Close()
				case func() bool:
					v()
				}
			}
			return err
		}
	}
	for name, f := range functions {
		add(name, reflect.ValueOf(f))
	}
	for _, v := range []any{r.comm, r.peers, r.known} {
		for m := range reflect.TypeOf(v).Methods() {
			add(reflect.TypeOf(v).Elem().Name()+"."+m.Name, m.Func)
		}
	}
	return all
}

// value returns an argument of a type.
func (r *rank) value(typ reflect.Type) reflect.Value {
	for _, v := range []any{r.comm, r.peers, r.known, r.s, r.x.All(), r.dev, []*cuda.Device{r.dev}, nccl.World{Size: 1, LocalSize: 1}, func(*nccl.Comm) error { return nil }} {
		if reflect.TypeOf(v) == typ {
			return reflect.ValueOf(v)
		}
	}
	if typ == reflect.TypeFor[context.Context]() {
		return reflect.ValueOf(r.ctx)
	}
	return reflect.Zero(typ)
}

// An outcome is what a call has done.
type outcome struct {
	err     error
	problem string
}

// called calls f, which has a second, and more on a busy machine.
func called(f func() error) outcome {
	over := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.problem = fmt.Sprintf("it panics: %v", p)
			}
			over <- o
		}()
		o.err = f()
	}()
	select {
	case o := <-over:
		var ours *nccl.Error
		var cudas *cuda.Error
		if o.err != nil && !(errors.As(o.err, &ours) && ours.Op != "") && !(errors.As(o.err, &cudas) && cudas.Op != "") {
			o.problem = fmt.Sprintf("the error does not name the operation: %v", o.err)
		}
		if errors.Is(o.err, cuda.ErrInvalidHandle) {
			o.problem = fmt.Sprintf("the driver was given what is gone: %v", o.err)
		}
		return o
	case <-time.After(20 * time.Second):
		go panic("a call does not return")
		select {}
	}
}

// ends are the ways in which what a rank uses ends.
var ends = map[string]func(t *testing.T, r *rank){
	"closed":        func(t *testing.T, r *rank) { require.NoError(t, r.comm.Close()) },
	"aborted":       func(t *testing.T, r *rank) { require.NoError(t, r.comm.Abort()) },
	"peers closed":  func(t *testing.T, r *rank) { require.NoError(t, r.peers.Close()) },
	"device closed": func(t *testing.T, r *rank) { require.NoError(t, r.dev.Close()) },
	"stream closed": func(t *testing.T, r *rank) { require.NoError(t, r.s.Close()) },
	"buffer closed": func(t *testing.T, r *rank) { require.NoError(t, r.x.Close()) },
	"context cancelled": func(t *testing.T, r *rank) {
		ctx, cancel := context.WithCancel(r.ctx)
		r.ctx = ctx
		cancel()
	},
	"device lost": func(t *testing.T, r *rank) {
		lib, err := r.dev.LoadLibrary(cuda.NewImage("trap.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\ttrap;\n\tret;\n}\n"))
		require.NoError(t, err)
		k, err := cuda.Bind[struct{}](lib, "k")
		require.NoError(t, err)
		require.NoError(t, k.LaunchArgsWith(r.s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, &struct{}{}))
		require.ErrorIs(t, r.s.Synchronize(), cuda.ErrDeviceLost)
		require.NoError(t, lib.Close())
	},
	"stream of an ended capture": func(t *testing.T, r *rank) {
		s := r.s
		t.Cleanup(func() { s.Close() })
		cuda.Capture(s, func(c *cuda.Stream) error {
			r.s = c
			return nccl.AllReduce(r.comm, c, r.x.All(), r.x.All(), nccl.Sum)
		})
	},
}

// TestEndOfLife calls everything after each end, beside it, and in host functions.
func TestEndOfLife(t *testing.T) {
	var names []string
	t.Run("names", func(t *testing.T) {
		for name := range aRank(t).calls() {
			names = append(names, name)
		}
	})
	for how, end := range ends {
		for _, name := range names {
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := aRank(t)
				end(t, r)
				assert.Empty(t, called(r.calls()[name]).problem)
			})
		}
	}
	for how, end := range map[string]func(r *rank) error{
		"Comm.Close": func(r *rank) error { return r.comm.Close() }, "Abort": func(r *rank) error { return r.comm.Abort() }, "Peers.Close": func(r *rank) error { return r.peers.Close() },
		"Device.Close": func(r *rank) error { return r.dev.Close() }, "Buffer.Close": func(r *rank) error { return r.x.Close() }, "Stream.Close": func(r *rank) error { return r.s.Close() },
	} {
		for _, name := range names {
			t.Run("beside "+how+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := aRank(t)
				over := make(chan outcome)
				go func() { over <- called(func() error { return end(r) }) }()
				for range 3 {
					assert.Empty(t, called(r.calls()[name]).problem)
				}
				assert.Empty(t, (<-over).problem)
			})
		}
	}
	for _, name := range names {
		t.Run("in a host function/"+name, func(t *testing.T) {
			t.Parallel()
			if name == "Run" || name == "RunWith" || name == "Exchange" || strings.HasPrefix(name, "Peers.NewComm") || name == "Comm.Split" {
				return // they make what waits for the device when it is closed
			}
			r := aRank(t)
			var o outcome
			require.NoError(t, r.s.LaunchHostFunc(func() {
				defer func() { o.problem = fmt.Sprint(recover()) }()
				o.err = r.calls()[name]()
			}))
			assert.Empty(t, called(r.s.Synchronize).problem)
			assert.Equal(t, "<nil>", o.problem)
			assert.Empty(t, called(func() error { return errors.Join(r.comm.Close(), r.dev.Synchronize()) }).problem)
		})
	}
}

// TestEndOfLifeIsComplete: every exported function, and every exported type with methods, belongs to what TestEndOfLife calls.
func TestEndOfLifeIsComplete(t *testing.T) {
	plain := map[string]bool{"FromEnvironment": true, "Version": true, "Error": true, "LostError": true, "Op": true, "Result": true, "World": true}
	ending := map[string]bool{"Comm": true, "Peers": true, "Registration": true}
	list, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	found := 0
	for _, path := range list {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				typ := f.Recv.List[0].Type
				if pointer, ok := typ.(*ast.StarExpr); ok {
					typ = pointer.X
				}
				if name = typ.(*ast.Ident).Name; !ast.IsExported(name) {
					continue
				}
			}
			found++
			assert.True(t, plain[name] || ending[name] || functions[name] != nil, "add %s", name)
		}
	}
	assert.Greater(t, found, 40)
	assert.False(t, plain["Curve"] || ending["Curve"] || functions["Curve"] != nil, "the control")
	assert.Contains(t, called(func() error { panic("oh") }).problem, "it panics: oh")
	assert.Contains(t, called(func() error { return errors.New("oh") }).problem, "does not name")
}
