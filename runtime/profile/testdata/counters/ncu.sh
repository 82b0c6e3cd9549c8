#!/bin/sh
# ncu.sh has Nsight Compute count what the kernels of counters.cu access, on the first GPU, and writes its table to ncu.csv beside it, with
# which TestCounters of runtime/profile compares. It needs nvcc, ncu and a GPU of compute capability 8.0 or newer, and that this user may
# read the GPU's counters.
#
#	runtime/profile/testdata/counters/ncu.sh [ncu.csv]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/ncu.csv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
# The same PTX as the simulated device runs, which ptxas makes machine code of.
nvcc -gencode "arch=compute_80,code=sm_$capability" -o "$work/counters" "$here/counters.cu" >"$work/log" 2>&1 || {
	cat "$work/log" >&2
	exit 1
}
wanted='
l1tex__t_sectors_pipe_lsu_mem_global_op_ld
l1tex__t_sectors_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_red
l1tex__t_sectors_pipe_lsu_mem_local_op_ld
l1tex__t_sectors_pipe_lsu_mem_local_op_st
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
'
ncu --query-metrics >"$work/all" 2>/dev/null || : # not every GPU has all
metrics=
for m in $wanted; do
	if [ -s "$work/all" ] && ! grep -q "^$m\b" "$work/all"; then
		echo "ncu.sh: this GPU has no metric $m" >&2
		continue
	fi
	metrics=$metrics${metrics:+,}$m.sum
done
ncu --csv --metrics "$metrics" "$work/counters" >"$work/raw" || { cat "$work/raw" >&2; exit 1; }
sed -n '/^"ID"/,$p' "$work/raw" | grep '^"' >"$out"
if ! [ -s "$out" ]; then
	cat "$work/raw" >&2
	exit 1
fi
echo "wrote $out: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(ncu --version | tail -1)" >&2
