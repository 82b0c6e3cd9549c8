module github.com/cudagen/cudagen/bench

go 1.26.0

require (
	github.com/cudagen/cudagen v0.0.0
	github.com/ebitengine/purego v0.11.3
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
)

replace github.com/cudagen/cudagen => ../
