// Package oracle compares package inspect's report on a source file with the image that a
// compiler made of it. It runs no compiler.
//
// Its tests compare cudagen with compilers on random input: package layout on random types
// (cases_test.go), and parsing on random classes with members of every kind
// (classes_test.go).
package oracle
