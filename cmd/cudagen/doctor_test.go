package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestModuleVersion(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"closed", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 06:54:38 UTC 2025\nGCC version:  gcc 12.2.0\n", "580.65.06"},
		{"open", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.82.07  Release Build  (root@x)  Wed Aug 27 2025\n", "580.82.07"},
		{"two numbers", "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  560.28  Release Build\n", "560.28"},
		{"another text", "GCC version:  gcc version 12.2.0 (Debian)\n", ""},
		{"none", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, moduleVersion(tt.text)) })
	}
}
