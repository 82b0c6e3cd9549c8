// Package house has only tests. They hold rules of the whole module: which package may import
// which, what the exported API is, that links and quoted headings of documents exist, that Go in
// documents compiles, that types have examples, and that no test names a source file.
package house

// root is the folder of the module.
const root = "../.."
