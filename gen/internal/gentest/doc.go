// Package gentest holds what the tests of several stages share: sources and folders, compilers that stand for real ones, and
// calls of gen.Generate. It knows no stage. Only tests import it.
package gentest
