// Package kernels holds the kernels that only the benchmarks launch.
package kernels
