package ptx_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
)

// TestConstantExpressions has the values that ptxas 13.0 gives to elements of a .u64 array.
func TestConstantExpressions(t *testing.T) {
	const most = 1<<64 - 1
	for text, want := range map[string]uint64{
		"32-2": 30, "1+2*3": 7, "(5-7)<<2": most - 7, "~0": most, "0x10|3": 19, "-7/2": most - 2, "5%-3": 2,
		"-8>>1": most - 3, "0xffffffffffffffff>>60": 15, "8U-9": most, "-1>0U": 1, "-1>0": 0, "!5": 0, "!0": 1,
		"3&&0": 0, "0||4": 1, "6==6": 1, "6!=6": 0, "5<6": 1, "5>=6": 0, "1?2:3": 2, "0?2:3": 3, "1?2:0?4:5": 2,
		"(.u64)-1>>60": 15, "(.s64)0xffffffffffffffff>>60": most, "-(-5)": 5, "+5": 5, "0xff^0x0f&3": 0xfc,
		"1<<64": 1, "1<<65": 2, "1<<-1": 1 << 63, "-1>>64": most, "7/2*2": 6, "10-3-2": 5, "100/5/2": 10, "2+3==5": 1,
		"5&6==6": 1, "1|2^3&4": 3, "18446744073709551615/2": most / 2, "-1/2U": most / 2, "(1<<31)*4": 1 << 33,
		"2*(3+4)": 14, "!(1-1)": 1, "~(1|2)": most - 3, "--5": 5, "-~5": 6, "~-5": 4, "-!5": 0, "5/-2": most - 1,
		"(.s64)5+3": 8, "3>2>1": 0, "1<2<3": 1, "0xffffffffffffffff+1 > 0": 0, "(-1|0) > 1": 0, "(-1^0)/2": 0,
		"~0/2": most / 2, "~0>0": 1, "1==1U": 1, "5 % 4": 1, "-5 <= 5": 1,
	} {
		m := parse(t, header+".global .u64 t[1] = { "+text+" };")
		imm, ok := m.Vars[0].Init[0].(ptx.Imm)
		require.True(t, ok, text)
		assert.Equal(t, want, imm.Value, text)
	}
}

// TestConstantOperands has expressions where instructions have constants.
func TestConstantOperands(t *testing.T) {
	stmts := statements(t, `.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
		shf.r.wrap.b32 %r1, %r2, %r3, 32-2;
		add.s32 %r1, %r2, (5);
		add.s32 %r1, %r2, -(3) * 2;
		add.s32 %r1, %r2, !0 + 1;
		and.pred %p1, %p2, !%p1;
		add.f64 %rd1, %rd2, 1.0 / 4.0 - 1.0;
		st.global.u32 [%rd1+4*2+4], %r1;
		st.global.u32 [%rd1+-8], %r1;
		st.global.u32 [%rd1+1<<3], %r1;
		st.global.u32 [%rd1-8], %r1;
		ld.global.u32 %r1, [x+(4|8)];
		call (%r1), f, (5+3*2, (1+1)*2, %r2);
		st.v2.u32 [%rd1], {1+1, 7>3 ? 11 : 12};`)
	var args [][]ptx.Operand
	for _, s := range stmts {
		if in, ok := s.(*ptx.Instr); ok {
			args = append(args, in.Args)
		}
	}
	minus := uint64(1<<64 - 6)
	require.Len(t, args, 13)
	assert.Equal(t, ptx.Imm{Value: 30}, args[0][3])
	assert.Equal(t, ptx.Imm{Value: 5}, args[1][2])
	assert.Equal(t, ptx.Imm{Value: minus}, args[2][2])
	assert.Equal(t, ptx.Imm{Value: 2}, args[3][2])
	assert.Equal(t, ptx.Not{Reg: ptx.Reg{Name: "%p1"}}, args[4][2])
	assert.Equal(t, ptx.Float{Bits: math.Float64bits(-0.75), Size: 64}, args[5][2])
	for i, offset := range []int64{12, -8, 8, -8} {
		assert.Equal(t, ptx.Address{Base: ptx.Reg{Name: "%rd1"}, Offset: offset}, args[6+i][0])
	}
	assert.Equal(t, ptx.Address{Base: ptx.Symbol{Name: "x"}, Offset: 12}, args[10][1])
	assert.Equal(t, ptx.List{Elems: []ptx.Operand{ptx.Imm{Value: 11}, ptx.Imm{Value: 4}, ptx.Reg{Name: "%r2"}}}, args[11][2])
	assert.Equal(t, ptx.Vector{Elems: []ptx.Operand{ptx.Imm{Value: 2}, ptx.Imm{Value: 11}}}, args[12][1])
}

func TestWrongExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"5/0":     "division by zero in a constant expression",
		"5 % 0":   "division by zero in a constant expression",
		"1.0/0.0": "division by zero in a constant expression",
		"1.5+2":   "a constant expression here has integers only",
		"~1.5":    "a constant expression here has integers only",
		"1.5|2.5": "| takes integers",
		"(1+2":    "want ) after a constant expression",
		"1?2":     "want : between the choices of ?:",
		"1+, 2":   "found ,, want an operand",
		"7 %4":    "found %4, want ,", // a register
	} {
		_, err := ptx.Parse("k.ptx", []byte(header+".global .u64 t[1] = { "+text+" };"))
		assert.ErrorContains(t, err, want, text)
	}
}
