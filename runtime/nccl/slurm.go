package nccl

import (
	"cmp"
	"strconv"
	"strings"
)

// A slurmStep is a step of a job, as srun tells its tasks.
type slurmStep struct {
	job, id      string
	hosts        string // a list, as SLURM writes it
	distribution string // of the tasks over the hosts
	components   string // how many a heterogeneous job has
}

func stepOf(getenv func(string) string) slurmStep {
	return slurmStep{
		job: getenv("SLURM_JOB_ID"), id: getenv("SLURM_STEP_ID"),
		hosts:        cmp.Or(getenv("SLURM_STEP_NODELIST"), getenv("SLURM_JOB_NODELIST")),
		distribution: getenv("SLURM_DISTRIBUTION"),
		components:   getenv("SLURM_HET_SIZE"),
	}
}

// String is what no other step of the cluster has.
func (s slurmStep) String() string {
	if s.id == "" {
		return s.job
	}
	return s.job + "." + s.id
}

// unordered returns why the first host need not have rank 0, or "". SLURM sorts the list, whatever order
// the tasks are in: seen with 22.05.
func (s slurmStep) unordered() string {
	switch {
	case !strings.ContainsAny(s.hosts, "[,"):
		return ""
	case strings.HasPrefix(s.distribution, "arbitrary"):
		return "the step was started with --distribution=arbitrary"
	case s.components != "" && s.components != "1":
		return "the job is heterogeneous"
	}
	return ""
}

// port returns where rank 0 listens, or "": steps at the same time, of one job or of several, may have the same first host.
func (s slurmStep) port() string {
	const first, count = 29400, 3000 // below those that systems give to who asks for any
	job, err := strconv.Atoi(s.job)
	if err != nil || job < 0 {
		return ""
	}
	id, _ := strconv.Atoi(s.id)
	return strconv.Itoa(first + (job%count*101+max(id, 0)%count)%count)
}

// firstHost returns the first host of a list as SLURM writes it: node[003-005,009],other is node003.
func firstHost(list string) string {
	open := strings.IndexByte(list, '[')
	comma := strings.IndexByte(list, ',')
	if open < 0 || comma >= 0 && comma < open {
		host, _, _ := strings.Cut(list, ",")
		return host
	}
	end := strings.IndexAny(list[open:], "-,]")
	if end < 0 {
		return ""
	}
	host := list[:open] + list[open+1:open+end]
	if closed := strings.IndexByte(list, ']'); closed >= 0 { // node[1-2]-ib, or node[1-2]x[0-1]
		rest, _, _ := strings.Cut(list[closed+1:], ",")
		if strings.Contains(list[closed+1:], "[") && !strings.Contains(rest, "[") {
			return host + rest
		}
		return host + firstHost(list[closed+1:])
	}
	return host
}
