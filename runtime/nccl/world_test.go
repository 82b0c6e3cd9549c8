package nccl_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

func TestFromEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want nccl.World
	}{
		"torchrun": {map[string]string{"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "h", "MASTER_PORT": "9", "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RUN_ID": "r"},
			nccl.World{Rank: 3, Size: 8, LocalRank: 1, LocalSize: 2, Address: "h:10", Job: "r", Launcher: "torchrun"}},
		"PyTorchJob": {map[string]string{"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "job-master-0", "MASTER_PORT": "23456"},
			nccl.World{Rank: 1, Size: 2, LocalRank: 1, Address: "job-master-0:23456", Launcher: "torchrun"}},
		"Open MPI": {map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "PMIX_NAMESPACE": "n"},
			nccl.World{Size: 2, LocalSize: 2, Job: "n", Launcher: "Open MPI"}},
		"mpirun inside of SLURM": {map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1", "SLURM_PROCID": "0", "SLURM_NTASKS": "2"},
			nccl.World{Rank: 1, Size: 2, LocalRank: 1, Launcher: "Open MPI"}},
		"MPICH": {map[string]string{"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "0", "MASTER_ADDR": "::1"},
			nccl.World{Rank: 1, Size: 2, Address: "[::1]:29400", Launcher: "MPICH or Intel MPI"}},
		"SLURM": {map[string]string{"SLURM_PROCID": "5", "SLURM_NTASKS": "16", "SLURM_LOCALID": "1", "SLURM_STEP_NODELIST": "node[003-005,009],x", "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "3", "CUDAGEN_NCCL_TOKEN": "t"},
			nccl.World{Rank: 5, Size: 16, LocalRank: 1, Address: "node003:30110", Job: "7.3", Token: "t", Launcher: "SLURM"}},
		"SLURM, a port": {map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "n1", "SLURM_JOB_ID": "7", "SLURM_DISTRIBUTION": "arbitrary", "MASTER_PORT": "1234"},
			nccl.World{Size: 2, Address: "n1:1234", Job: "7", Launcher: "SLURM"}},
		"SLURM, an address": {map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "n[1-2]", "SLURM_JOB_ID": "7", "SLURM_HET_SIZE": "2", "MASTER_ADDR": "n2"},
			nccl.World{Size: 2, Address: "n2:29400", Job: "7", Launcher: "SLURM"}},
		"srun --mpi=pmi2": {map[string]string{"PMI_RANK": "5", "PMI_SIZE": "16", "SLURM_PROCID": "5", "SLURM_NTASKS": "16", "SLURM_LOCALID": "1", "SLURM_STEP_NODELIST": "n[1-2]", "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"},
			nccl.World{Rank: 5, Size: 16, LocalRank: 1, Address: "n1:30107", Job: "7.0", Launcher: "SLURM"}},
		"mpiexec inside of SLURM": {map[string]string{"PMI_RANK": "0", "PMI_SIZE": "4", "MPI_LOCALRANKID": "0", "MPI_LOCALNRANKS": "2", "SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0", "SLURM_STEP_NODELIST": "n[1-2]"},
			nccl.World{Size: 4, LocalSize: 2, Launcher: "MPICH or Intel MPI"}},
		"SLURM, two hosts": {map[string]string{"SLURM_PROCID": "5", "SLURM_NTASKS": "16", "SLURM_LOCALID": "1", "SLURM_STEP_NODELIST": "a,node[1-2]"},
			nccl.World{Rank: 5, Size: 16, LocalRank: 1, Address: "a:29400", Launcher: "SLURM"}},
		"SLURM, two ranges": {map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_JOB_NODELIST": "r[1-2]n[03-04]"},
			nccl.World{Size: 2, Address: "r1n03:29400", Launcher: "SLURM"}},
		"plain": {map[string]string{"CUDAGEN_NCCL_RANK": "1", "CUDAGEN_NCCL_SIZE": "2", "CUDAGEN_NCCL_ADDRESS": "[fe80::1]:5", "RANK": "0", "WORLD_SIZE": "9"},
			nccl.World{Rank: 1, Size: 2, LocalRank: 1, Address: "[fe80::1]:5", Launcher: "plain variables"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, launched, err := nccl.FromEnvironment(func(k string) string { return c.env[k] })
			require.NoError(t, err)
			assert.True(t, launched)
			assert.Equal(t, c.want, got)
		})
	}
	got, launched, err := nccl.FromEnvironment(func(string) string { return "" })
	assert.NoError(t, err)
	assert.False(t, launched)
	assert.Equal(t, nccl.World{Size: 1, LocalSize: 1}, got)
}

// TestStepsHavePorts: neither two steps of a job nor the first steps of neighbouring jobs have one port.
func TestStepsHavePorts(t *testing.T) {
	steps := make(map[string]string)
	for job := range 25 {
		for step := range 100 {
			w, _, err := nccl.FromEnvironment(func(k string) string {
				return map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "n", "SLURM_JOB_ID": strconv.Itoa(123456789 + job), "SLURM_STEP_ID": strconv.Itoa(step)}[k]
			})
			require.NoError(t, err)
			_, port, err := net.SplitHostPort(w.Address)
			require.NoError(t, err)
			n, err := strconv.Atoi(port)
			require.NoError(t, err)
			assert.True(t, 29400 <= n && n < 32400, port)
			assert.Empty(t, steps[port], "of %s and %s", steps[port], w.Job)
			steps[port] = w.Job
		}
	}
}

func TestFromWrongEnvironment(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"RANK=2 is not below WORLD_SIZE=2":               {"RANK": "2", "WORLD_SIZE": "2"},
		"RANK=-1: want a number":                         {"RANK": "-1", "WORLD_SIZE": "2"},
		"WORLD_SIZE=many: want a number":                 {"RANK": "0", "WORLD_SIZE": "many"},
		"LOCAL_RANK=3 is not below LOCAL_WORLD_SIZE=2":   {"RANK": "0", "WORLD_SIZE": "4", "LOCAL_RANK": "3", "LOCAL_WORLD_SIZE": "2"},
		"MASTER_PORT=http: want a port":                  {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "h", "MASTER_PORT": "http"},
		"CUDAGEN_NCCL_ADDRESS=h: address h: missing":     {"RANK": "0", "WORLD_SIZE": "2", "CUDAGEN_NCCL_ADDRESS": "h"},
		"CUDAGEN_NCCL_RANK and CUDAGEN_NCCL_SIZE belong": {"CUDAGEN_NCCL_RANK": "0"},
		"which machine has rank 0: the step was started": {"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "n[1-2]", "SLURM_DISTRIBUTION": "arbitrary"},
		"which machine has rank 0: the job is heterog":   {"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "a,b", "SLURM_HET_SIZE": "2"},
	} {
		_, _, err := nccl.FromEnvironment(func(k string) string { return env[k] })
		assert.ErrorContains(t, err, want)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	}
}
