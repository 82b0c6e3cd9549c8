//go:build race

package nccl_test

const raceDetector = true
