// Package lex reads CUDA C++ source as far as its tokens go: it takes text apart into
// tokens, follows #include, evaluates conditions, and replaces macros.
//
// It knows no declarations. What nvcc defines and includes by itself it takes as given; on
// which other macros the text depends, it says. Start with Preprocess.
//
// The stages are the lexer (scan.go), the preprocessor (preprocess.go, macro.go, condition.go,
// header.go, pragma.go, predefined.go), and the calculation of conditions (calculation.go, integer.go).
package lex
