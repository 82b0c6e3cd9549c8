// Package oracle compares the report on a source file with the image that a compiler made
// of it. It runs no compiler.
//
// Its tests compare random input: package layout with compilers on random types
// (cases_test.go), and the whole front end with compilers on random classes with members
// of every kind (classes_test.go).
package oracle
