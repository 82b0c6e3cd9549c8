module github.com/cudagen/cudagen/bench

go 1.26.0

require (
	github.com/cudagen/cudagen v0.0.0
	github.com/ebitengine/purego v0.11.3
)

replace github.com/cudagen/cudagen => ../
