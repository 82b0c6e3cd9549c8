// Package house has only tests. They hold rules of the whole module: which package may import
// which, how files use each other, what the exported API is, that links and quoted headings of documents exist, that Go in
// documents compiles, that types have examples, that no test names a source file, and that the
// gate's lists of skipped tests name tests.
package house

// root is the folder of the module.
const root = "../.."
