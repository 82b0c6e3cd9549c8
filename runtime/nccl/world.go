package nccl

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A World says where a process stands among those that a launcher has started. Each process is one
// rank.
type World struct {
	Rank, Size           int
	LocalRank, LocalSize int    // among those of this machine; LocalSize is 0 if the launcher does not say
	Address              string // host:port where rank 0 listens; empty if the launcher names none
	Token                string // what only the processes of this job know; may be empty
	Job                  string // the launcher's name of the job, which all its processes share; may be empty
	Launcher             string // "torchrun", or empty
}

// The variables that cudagen itself reads. They come before those of launchers.
const (
	rankVariable    = "CUDAGEN_NCCL_RANK"
	addressVariable = "CUDAGEN_NCCL_ADDRESS"
	tokenVariable   = "CUDAGEN_NCCL_TOKEN"
)

// defaultPort is where rank 0 listens if nothing else is said.
const defaultPort = "29400"

// A launcher is how a launcher names what it puts into the environment. The first name that is
// set counts.
type launcher struct {
	name                           string
	rank, size, local, locals, job string
	slurm                          bool
}

// launchers are in the order in which they are asked. Open MPI comes before SLURM, because mpirun
// inside of SLURM gives every process SLURM_PROCID=0, and after torchrun, which may be started by
// both.
var launchers = []launcher{
	{name: "plain variables", rank: rankVariable, size: "CUDAGEN_NCCL_SIZE", local: "CUDAGEN_NCCL_LOCAL_RANK", locals: "CUDAGEN_NCCL_LOCAL_SIZE", job: "CUDAGEN_NCCL_JOB"},
	{name: "torchrun", rank: "RANK", size: "WORLD_SIZE", local: "LOCAL_RANK", locals: "LOCAL_WORLD_SIZE", job: "TORCHELASTIC_RUN_ID"},                                                // and Kubernetes' PyTorchJob
	{name: "Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE", local: "OMPI_COMM_WORLD_LOCAL_RANK", locals: "OMPI_COMM_WORLD_LOCAL_SIZE", job: "PMIX_NAMESPACE"}, // and Kubernetes' MPIJob
	{name: "MPICH or Intel MPI", rank: "PMI_RANK", size: "PMI_SIZE", local: "MPI_LOCALRANKID", locals: "MPI_LOCALNRANKS"},
	{name: "SLURM", rank: "SLURM_PROCID", size: "SLURM_NTASKS", local: "SLURM_LOCALID", slurm: true},
}

// FromEnvironment reads what a launcher has put into the environment: CUDAGEN_NCCL_RANK and
// CUDAGEN_NCCL_SIZE, torchrun or Kubernetes' PyTorchJob, Open MPI or MPIJob, MPICH, SLURM, in this
// order. Without any it returns the World of one process, and false.
//
// The address of rank 0 is CUDAGEN_NCCL_ADDRESS, or MASTER_ADDR and MASTER_PORT, or the first host of SLURM's
// step, with a port of the step's own from 29400 to 32399; the token is CUDAGEN_NCCL_TOKEN. Variables that contradict each
// other are an error, and so is a step of SLURM of which nothing says where rank 0 is.
func FromEnvironment(getenv func(string) string) (w World, launched bool, err error) {
	for _, l := range launchers {
		rank, size := getenv(l.rank), getenv(l.size)
		switch {
		case rank == "" && size == "":
			continue
		case rank == "" || size == "": // PyTorchJob's master and others set one for other purposes
			if l.rank == rankVariable {
				return w, true, environmentError(fmt.Sprintf("%s and %s belong together, and one is not set", l.rank, l.size), "set both")
			}
			continue
		case l.rank == "PMI_RANK" && getenv(l.local) == "" && rank == getenv("SLURM_PROCID") && size == getenv("SLURM_NTASKS"):
			continue // srun --mpi=pmi2 has no mpiexec between, and knows the hosts
		case l.slurm && size == "1" && getenv("SLURM_STEP_ID") == "": // sbatch's own shell
			continue
		}
		w, err = l.read(getenv)
		return w, true, err
	}
	return World{Size: 1, LocalSize: 1, Token: getenv(tokenVariable)}, false, nil
}

func environmentError(detail, hint string) error {
	return &Error{Op: "read the environment", Detail: detail, Hint: hint, Err: cuda.ErrInvalidValue}
}

func (l *launcher) read(getenv func(string) string) (w World, err error) {
	w.Launcher, w.Token = l.name, getenv(tokenVariable)
	for _, v := range []struct {
		name string
		into *int
		less int
	}{{l.rank, &w.Rank, 0}, {l.size, &w.Size, 1}, {l.local, &w.LocalRank, 0}, {l.locals, &w.LocalSize, 1}} {
		text := getenv(v.name)
		if v.name == "" || text == "" {
			continue
		}
		if *v.into, err = strconv.Atoi(text); err != nil || *v.into < v.less {
			return w, environmentError(fmt.Sprintf("%s=%s: want a number of at least %d", v.name, text, v.less), "")
		}
	}
	if getenv(l.local) == "" {
		w.LocalRank = w.Rank
		if w.LocalSize > 0 {
			w.LocalRank = w.Rank % w.LocalSize
		}
	}
	if w.Rank >= w.Size {
		return w, environmentError(fmt.Sprintf("%s=%d is not below %s=%d", l.rank, w.Rank, l.size, w.Size), "")
	}
	if w.LocalSize > 0 && w.LocalRank >= w.LocalSize {
		return w, environmentError(fmt.Sprintf("%s=%d is not below %s=%d", l.local, w.LocalRank, l.locals, w.LocalSize), "")
	}
	switch {
	case l.slurm:
		w.Job = stepOf(getenv).String()
	case l.job != "":
		w.Job = getenv(l.job)
	}
	w.Address, err = l.address(getenv)
	return w, err
}

// address returns where rank 0 listens, or "".
func (l *launcher) address(getenv func(string) string) (string, error) {
	if text := getenv(addressVariable); text != "" {
		if _, _, err := net.SplitHostPort(text); err != nil {
			return "", environmentError(fmt.Sprintf("%s=%s: %v", addressVariable, text, err), "set it to HOST:PORT; an IPv6 address is in brackets")
		}
		return text, nil
	}
	host, port := getenv("MASTER_ADDR"), getenv("MASTER_PORT")
	if host == "" && l.slurm {
		step := stepOf(getenv)
		if reason := step.unordered(); reason != "" {
			return "", environmentError("SLURM does not say which machine has rank 0: "+reason, "set MASTER_ADDR to its name")
		}
		host, port = firstHost(step.hosts), cmp.Or(port, step.port())
	}
	if host == "" {
		return "", nil
	}
	port = cmp.Or(port, defaultPort)
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return "", environmentError(fmt.Sprintf("MASTER_PORT=%s: want a port from 1 to 65535", port), "")
	}
	if strings.EqualFold(getenv("TORCHELASTIC_USE_AGENT_STORE"), "true") {
		n++ // torchrun's own store listens at MASTER_PORT
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(n)), nil
}

// OpenDevice opens the device of the process's rank: that with the number of its LocalRank among
// those that the process sees, counted around if there are fewer, as where a launcher shows each
// process only its own. CUDAGEN_DEVICE and CUDAGEN_SIM_DEVICES apply.
func (w World) OpenDevice() (*cuda.Device, error) {
	devices, err := cuda.Devices()
	if err != nil || len(devices) == 0 {
		return cuda.OpenDefault() // the simulated device, or its error says what is missing
	}
	return cuda.Open(w.LocalRank % len(devices))
}
