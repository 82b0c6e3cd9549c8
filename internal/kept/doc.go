// Package kept holds Go that cudagen generated for the first version of generated code. It
// is never generated again: it must compile and run as it is with every later runtime.
package kept
