// Package lex takes CUDA C++ source, gives its tokens, and knows no declarations: it takes text apart
// into tokens, follows #include, evaluates conditions, and replaces macros.
//
// What nvcc defines and includes by itself it takes as given; on which other macros the text depends,
// it says. Start with Preprocess.
//
// The stages are the lexer (scan.go), the preprocessor (preprocess.go, macro.go, condition.go,
// header.go, pragma.go, predefined.go), and the calculation of conditions (calculation.go, integer.go).
package lex
