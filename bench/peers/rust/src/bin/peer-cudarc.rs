//! cudarc as a peer of bench/launch and bench/graphs. Events of memory are not tracked, which is
//! its faster way; CUDARC_TRACKING=1 leaves that on.

use std::sync::Arc;

use cudarc::driver::{sys, CudaContext, CudaFunction, CudaGraph, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use peers::{check, fake, time, Result, ELEMENTS, NODES, STREAMS};

struct On {
    stream: Arc<CudaStream>,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
    graph: Option<CudaGraph>,
}

const CONFIG: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };

#[inline(always)]
fn launch(saxpy: &CudaFunction, stream: &CudaStream, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<()> {
    let (n, a) = (ELEMENTS as i32, 2f32);
    let mut builder = stream.launch_builder(saxpy);
    builder.arg(&n).arg(&a).arg(x).arg(y);
    unsafe { builder.launch(CONFIG) }?;
    Ok(())
}

fn run() -> Result<()> {
    let arguments = peers::arguments()?;
    let context = CudaContext::new(0)?;
    let tracking = std::env::var_os("CUDARC_TRACKING").is_some();
    if !tracking {
        unsafe { context.disable_event_tracking() };
    }
    let module = context.load_module(Ptx::from_file(&arguments.image))?;
    let saxpy = module.load_function("saxpy")?;
    let values: Vec<f32> = (0..ELEMENTS).map(|i| i as f32).collect();
    let mut on = Vec::new();
    for _ in 0..STREAMS {
        let stream = context.new_stream()?;
        let x = stream.clone_htod(&values)?;
        let mut y = stream.clone_htod(&vec![0f32; ELEMENTS])?;
        launch(&saxpy, &stream, &x, &mut y)?;
        check(&stream.clone_dtoh(&y)?)?;
        let mut graph = None;
        if arguments.program == "graphs" {
            stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
            for _ in 0..if fake() { 0 } else { NODES } {
                launch(&saxpy, &stream, &x, &mut y)?;
            }
            graph = stream.end_capture(sys::CUgraphInstantiate_flags(0))?;
            graph.as_ref().ok_or("the capture made no graph")?.launch()?;
        }
        stream.synchronize()?;
        on.push(On { stream, x, y, graph });
    }
    let name = if tracking { "cudarc (tracking) 0.19.10" } else { "cudarc 0.19.10" };
    peers::serve(Ok(name.to_string()), |number| {
        let on = &mut on[number];
        let took = match &on.graph {
            Some(graph) => time(arguments.count, || Ok(graph.launch()?))?,
            None => time(arguments.count, || launch(&saxpy, &on.stream, &on.x, &mut on.y))?,
        };
        on.stream.synchronize()?;
        Ok(took)
    })
}

fn main() {
    peers::main(run)
}
