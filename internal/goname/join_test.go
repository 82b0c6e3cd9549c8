package goname_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/goname"
)

// Digits of two words never become one number.
func TestDigitsStayApart(t *testing.T) {
	for _, test := range []struct{ want, got string }{
		{"Step2", goname.Join("Step", "2")},
		{"Step1_2", goname.Join("Step1", "2")},
		{"Step1_2", goname.Exported("step_1_2")},
		{"Step12", goname.Exported("step_12")},
		{"step1_2", goname.Unexported("step_1_2")},
		{"Mat4x4", goname.Exported("mat_4x4")},
		{"ReduceFloat256", goname.Join("Reduce", "Float", "256")},
		{"F1_23", goname.Join("F", "1", "23")},
		{"F12_3", goname.Join("F", "12", "3")},
		{"", goname.Join()},
		{"ArrInt3_1", goname.Type("Arr<int3, 1>")},
		{"ArrInt31", goname.Type("Arr<int31>")},
		{"VecFloat4", goname.Type("vec<float, 4>")},
		{"ArrInt1", goname.Type("Arr<int, 1>")},
		{"ArrIntMinus1", goname.Type("Arr<int, -1>")},
		{"SpanFloatMax", goname.Type("span<float, 18446744073709551615ul>")},
		{"BoxMax", goname.Type("Box<4294967295u>")},
		{"BoxFloatPtr", goname.Type("Box<float*>")},
		{"BoxFloat", goname.Type("Box<float>")},
		{"BoxInt3", goname.Type("Box<int3>")},
		{"BoxIntArray3", goname.Type("Box<int [3]>")},
		{"MyK", goname.Type("my-k")},
	} {
		assert.Equal(t, test.want, test.got)
	}
}
