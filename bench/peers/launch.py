"""Launches through a Python library, for -peer of bench/launch and, with /graphs, of bench/graphs.

    launch.py cuda.core|cupy|cuda.core/graphs|cupy/graphs IMAGE COUNT

IMAGE is PTX or a cubin with the example's saxpy; a graph is 20 launches of it, captured. The first line that is printed is
"ready", the library and its version, or why there is none. Then every line that is read
asks for a round: COUNT launches, which are timed, and a synchronization, which is not. The
answer is the nanoseconds that one launch took.
"""

import ctypes
import gc
import importlib.metadata
import sys
import time

ELEMENTS = 256
NODES = 20  # of a graph
STREAMS = 8  # they are not alike: each round takes the next, as Go and C do


def check(y):
    """Compares y with 2 * x after the one launch on x = 0, 1, 2 … and y = 0."""
    for i, value in enumerate(y):
        if value != 2 * i:
            raise ValueError(f"y[{i}] is {value}, want {2 * i}")


class Core:
    """cuda.core, with the scalars converted once."""

    def __init__(self, image):
        try:
            from cuda.core import launch
            import cuda.core as core
        except ImportError:  # before 1.0
            from cuda.core.experimental import launch
            import cuda.core.experimental as core
        import numpy

        self.version = importlib.metadata.version("cuda-core")
        self.launch = launch
        device = core.Device(0)
        device.set_current()
        self.streams = [device.create_stream() for _ in range(STREAMS)]
        with open(image, "rb") as file:
            code = file.read()
        load = core.ObjectCode.from_cubin if code.startswith(b"\x7fELF") else core.ObjectCode.from_ptx
        self.code = load(code)
        self.kernel = self.code.get_kernel("saxpy")
        self.config = core.LaunchConfig(grid=1, block=256)
        self.n, self.a = numpy.int32(ELEMENTS), numpy.float32(2)

        stream, size = self.streams[0], 4 * ELEMENTS
        host = core.LegacyPinnedMemoryResource().allocate(size)
        values = (ctypes.c_float * ELEMENTS).from_address(int(host.handle))
        self.x, self.y = device.allocate(size, stream=stream), device.allocate(size, stream=stream)
        for buffer, content in (self.y, [0] * ELEMENTS), (self.x, range(ELEMENTS)):
            values[:] = content
            host.copy_to(buffer, stream=stream)
            stream.sync()
        self.round(stream, 1)
        self.y.copy_to(host, stream=stream)
        stream.sync()
        check(values)

    def graphs(self):
        """Makes a graph for each stream, and launches it once."""
        self.by_stream = {}
        for stream in self.streams:
            builder = stream.create_graph_builder().begin_building()
            for _ in range(NODES):
                self.launch(builder, self.config, self.kernel, self.n, self.a, self.x, self.y)
            graph = builder.end_building().complete()
            graph.upload(stream)
            graph.launch(stream)
            stream.sync()
            self.by_stream[id(stream)] = graph

    def graph_round(self, stream, count):
        launch = self.by_stream[id(stream)].launch
        start = time.perf_counter_ns()
        for _ in range(count):
            launch(stream)
        elapsed = time.perf_counter_ns() - start
        stream.sync()
        return elapsed / count

    def round(self, stream, count):
        launch, config, kernel = self.launch, self.config, self.kernel
        n, a, x, y = self.n, self.a, self.x, self.y
        start = time.perf_counter_ns()
        for _ in range(count):
            launch(stream, config, kernel, n, a, x, y)
        elapsed = time.perf_counter_ns() - start
        stream.sync()
        return elapsed / count


class CuPy:
    """CuPy's RawModule, with the arguments converted once."""

    def __init__(self, image):
        import cupy
        import numpy

        self.version = cupy.__version__
        cupy.cuda.Device(0).use()
        self.streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
        self.module = cupy.RawModule(path=image)
        self.kernel = self.module.get_function("saxpy")
        x = cupy.arange(ELEMENTS, dtype=numpy.float32)
        y = cupy.zeros(ELEMENTS, dtype=numpy.float32)
        cupy.cuda.Device(0).synchronize()
        self.args = (numpy.int32(ELEMENTS), numpy.float32(2), x, y)
        self.round(self.streams[0], 1)
        check(y.get().tolist())

    def graphs(self):
        """Makes a graph for each stream, and launches it once."""
        self.by_stream = {}
        for stream in self.streams:
            with stream:
                stream.begin_capture()
                for _ in range(NODES):
                    self.kernel((1,), (256,), self.args)
                graph = stream.end_capture()
            graph.launch(stream)
            stream.synchronize()
            self.by_stream[id(stream)] = graph

    def graph_round(self, stream, count):
        launch = self.by_stream[id(stream)].launch
        start = time.perf_counter_ns()
        for _ in range(count):
            launch(stream)
        elapsed = time.perf_counter_ns() - start
        stream.synchronize()
        return elapsed / count

    def round(self, stream, count):
        kernel, grid, block, args = self.kernel, (1,), (256,), self.args
        with stream:
            start = time.perf_counter_ns()
            for _ in range(count):
                kernel(grid, block, args)
            elapsed = time.perf_counter_ns() - start
            stream.synchronize()
        return elapsed / count


LIBRARIES = {"cuda.core": Core, "cupy": CuPy}


def main():
    name, _, graphs = sys.argv[1].partition("/") if len(sys.argv) == 4 else ("", "", "")
    if name not in LIBRARIES or graphs not in ("", "graphs"):
        sys.exit(__doc__)
    image, count = sys.argv[2], int(sys.argv[3])
    try:
        library = LIBRARIES[name](image)
        if graphs:
            library.graphs()
    except Exception as e:  # whatever is missing on this machine
        print(f"{name}: {type(e).__name__}: {e}".replace("\n", " "), flush=True)
        sys.exit(1)
    gc.disable()
    print("ready", name, library.version, flush=True)
    do_round = library.graph_round if graphs else library.round
    for number, _ in enumerate(sys.stdin):
        print(do_round(library.streams[number % STREAMS], count), flush=True)


if __name__ == "__main__":
    main()
