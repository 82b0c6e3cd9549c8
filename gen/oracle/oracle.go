// Package oracle compares what cudagen says of kernels with what compilers say.
//
// It makes random cases for package layout, with a program text for each (random.go,
// layouts.go), makes a failing case small (minimise.go), and compares the report on a
// real file with its image (compare.go). It runs no compiler.
package oracle
