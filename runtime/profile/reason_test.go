package profile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// column is a kernel whose threads execute an instruction on rows of shared memory, so many bytes apart.
const column = `.version 8.0
.target sm_90
.address_size 64
.visible .entry column(.param .u64 p) {
	.reg .b32 %%r<9>; .reg .b64 %%rd<9>;
	.shared .align 16 .b8 tile[16384];
	.loc 1 10 3
	ld.param.u64 %%rd1, [p];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, tile;
	mad.lo.u32 %%r2, %%r1, %d, %%r2;
	mul.wide.u32 %%rd2, %%r1, 16;
	add.u64 %%rd2, %%rd1, %%rd2;
	%s
	ret;
}
	.file 1 "column.cu"
`

// Rows are padded as the report advises: the accesses stay aligned, and have no conflicts.
func TestAdvisedPadding(t *testing.T) {
	for _, test := range []struct {
		text  string
		words int // of a row
		want  string
	}{
		{"ld.shared.u8 %r3, [%r2];", 32, "consecutive threads read words 128 bytes apart, so that 32 of 32 lie in one bank: pad the rows by a word, to 33 words"},
		{"ld.shared.u32 %r3, [%r2];", 32, "consecutive threads read words 128 bytes apart, so that 32 of 32 lie in one bank: pad the rows by a word, to 33 words"},
		{"ld.shared.u32 %r3, [%r2];", 40, "consecutive threads read words 160 bytes apart, so that 8 of 32 lie in one bank: pad the rows by a word, to 41 words"},
		{"ld.shared.u64 %rd3, [%r2];", 32, "consecutive threads read 8 bytes each, 128 bytes apart, so that 16 of 16 served at once share banks: pad the rows by 2 words, to 34 words"},
		{"st.shared.v2.u32 [%r2], {%r3, %r4};", 36, "consecutive threads write 8 bytes each, 144 bytes apart, so that 2 of 16 served at once share banks: pad the rows by 2 words, to 38 words"},
		{"ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];", 32, "consecutive threads read 16 bytes each, 128 bytes apart, so that 8 of 8 served at once share banks: pad the rows by 4 words, to 36 words"},
		{"st.shared.v4.u32 [%r2], {%r3, %r4, %r5, %r6};", 48, "consecutive threads write 16 bytes each, 192 bytes apart, so that 4 of 8 served at once share banks: pad the rows by 4 words, to 52 words"},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];", 32, "consecutive threads read 16 bytes each, 128 bytes apart, so that 8 of 8 served at once share banks: pad the rows by 4 words, to 36 words"},
		{"cp.async.cg.shared.global [%r2], [%rd2], 16;", 32, "consecutive threads copy 16 bytes each, 128 bytes apart, so that 8 of 8 served at once share banks: pad the rows by 4 words, to 36 words"},
	} {
		report := func(words int) string {
			var text strings.Builder
			require.NoError(t, profiledRun(t, fmt.Sprintf(column, 4*words, test.text), "column", 1, Config{}).WriteReport(&text))
			return text.String()
		}
		got := report(test.words)
		assert.Contains(t, got, test.want, test.text)
		advised := regexp.MustCompile(`to (\d+) words`).FindStringSubmatch(got)
		require.NotNil(t, advised, got)
		words, err := strconv.Atoi(advised[1])
		require.NoError(t, err)
		assert.Contains(t, report(words), "of them 0 by bank conflicts", test.text)
	}
}

// Where rows of a block lie side by side, the one is named that is misaligned.
func TestMisalignedRows(t *testing.T) {
	const later, ends = "but a row begins at byte %d of a sector: begin rows at a multiple of 32 bytes", "but rows end within a sector: let the threads of a row fill whole sectors"
	for _, test := range []struct {
		name    string
		address func(l uint64) uint64
		want    string
	}{
		{"one row", func(l uint64) uint64 { return 12 + 4*l }, "but begin at byte 12 of a sector: begin rows at a multiple of 32 bytes"},
		{"one row, backwards", func(l uint64) uint64 { return 4012 - 4*l }, "but begin at byte 16 of a sector: begin rows at a multiple of 32 bytes"},
		{"block (16,4), rows 400 bytes apart", func(l uint64) uint64 { return l/16*400 + l%16*4 }, fmt.Sprintf(later, 16)},
		{"… backwards", func(l uint64) uint64 { return l/16*400 + 60 - l%16*4 }, fmt.Sprintf(later, 16)},
		{"… from byte 8 on", func(l uint64) uint64 { return 8 + l/16*400 + l%16*4 }, fmt.Sprintf(later, 24)},
		{"block (8,4), rows 408 bytes apart", func(l uint64) uint64 { return l/8*408 + l%8*4 }, fmt.Sprintf(later, 24)},
		{"block (8,4), rows 400 bytes apart, the second aligned", func(l uint64) uint64 { return 16 + l/8*400 + l%8*4 }, fmt.Sprintf(later, 16)},
		{"block (12,4), rows 64 bytes apart", func(l uint64) uint64 { return l/12*64 + l%12*4 }, ends},
		{"… its second warp", func(l uint64) uint64 { return (l+32)/12*64 + (l+32)%12*4 }, ends},
		{"block (10,4), rows 64 bytes apart, its second warp", func(l uint64) uint64 { return (l+32)/10*64 + (l+32)%10*4 }, ends},
	} {
		r := &driver.ProfiledRequest{Cost: driver.GlobalSectors, Lanes: ^uint32(0), Width: 4}
		for l := range r.Addresses {
			r.Addresses[l] = test.address(uint64(l))
		}
		assert.Equal(t, "consecutive threads write side by side, "+test.want, reason(r, "write"), test.name)
	}
}

// Copies by cp.async have the reasons of loads.
func TestAsyncCopy(t *testing.T) {
	var text strings.Builder
	source := strings.Replace(fmt.Sprintf(column, 16, "cp.async.cg.shared.global [%r2], [%rd2], 16;"), "%rd2, %r1, 16", "%rd2, %r1, 32", 1)
	require.NoError(t, profiledRun(t, source, "column", 1, Config{}).WriteReport(&text))
	assert.Contains(t, text.String(), "column.cu:10: 32 sectors where 16 would do, in 1 request: consecutive threads copy 16 of every 32 bytes: ")
}

// One request has no average, also where none was kept.
func TestEach(t *testing.T) {
	worst := &driver.ProfiledRequest{Count: 8, Ideal: 4}
	for _, test := range []struct {
		worst                  *driver.ProfiledRequest
		requests, count, ideal uint64
		want                   string
	}{
		{worst, 1, 8, 4, "8 sectors where 4 would do, in 1 request"},
		{worst, 3, 24, 12, "8 sectors where 4 would do, in each of 3 requests"},
		{worst, 3, 18, 12, "6.0 sectors where 4.0 would do, on average of 3 requests, at worst 8 where 4 would do"},
		{nil, 1, 1032, 16, "1,032 sectors where 16 would do, in 1 request"},
		{nil, 2, 64, 33, "32.0 sectors where 16.5 would do, on average of 2 requests"},
	} {
		assert.Equal(t, "k.cu:7: "+test.want, each("k.cu:7", test.worst, test.requests, test.count, test.ideal, "sector", "sectors"))
	}
}
