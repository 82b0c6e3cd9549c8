"""A rank of torch.distributed, which bench/nccl measures.

It takes the lines that rank takes: "id" prints an address, "join ADDRESS RANK SIZE BYTES" joins and does
one all-reduce, "run BYTES COUNT" does COUNT all-reduces and prints the nanoseconds that one took.
"""

import os
import socket
import sys
import time

buffer = dist = torch = None
for line in sys.stdin:
    words = line.split()
    if words[0] == "id":
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            print(f"127.0.0.1:{s.getsockname()[1]}", flush=True)
    elif words[0] == "join":
        try:
            import torch
            import torch.distributed as dist
        except ImportError as e:
            print(f"there is no torch: {e}", flush=True)
            sys.exit(0)
        torch.cuda.set_device(0)
        dist.init_process_group("nccl", init_method="tcp://" + words[1], rank=int(words[2]), world_size=int(words[3]))
        buffer = torch.zeros(int(words[4]) // 4, dtype=torch.float32, device="cuda")
        dist.all_reduce(buffer[:1])
        torch.cuda.synchronize()
        print("ready", flush=True)
    elif words[0] == "run":
        part, count = buffer[: int(words[1]) // 4], int(words[2])
        dist.all_reduce(buffer[:1])  # so that the ranks begin together
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for _ in range(count):
            dist.all_reduce(part)
        torch.cuda.synchronize()
        print(f"{(time.perf_counter_ns() - start) / count:.1f} 0", flush=True)
os._exit(0)
