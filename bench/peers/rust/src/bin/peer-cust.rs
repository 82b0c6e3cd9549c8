//! cust as a peer of bench/launch. It cannot launch graphs.

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use peers::{check, time, Result, ELEMENTS, STREAMS};

struct On {
    stream: Stream,
    x: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
}

fn run() -> Result<()> {
    let arguments = peers::arguments()?;
    if arguments.program != "launch" {
        return Err("cust 0.3.2 cannot launch graphs".into());
    }
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(std::fs::read_to_string(&arguments.image)?, &[])?;
    let saxpy = module.get_function("saxpy")?;
    let values: Vec<f32> = (0..ELEMENTS).map(|i| i as f32).collect();
    let mut on = Vec::new();
    for _ in 0..STREAMS {
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
        let (x, y) = (DeviceBuffer::from_slice(&values)?, DeviceBuffer::from_slice(&vec![0f32; ELEMENTS])?);
        unsafe {
            cust::launch!(saxpy<<<1, 256, 0, stream>>>(ELEMENTS as i32, 2f32, x.as_device_ptr(), y.as_device_ptr()))?;
        }
        stream.synchronize()?;
        let mut got = vec![0f32; ELEMENTS];
        y.copy_to(&mut got)?;
        check(&got)?;
        on.push(On { stream, x, y });
    }
    peers::serve(Ok("cust 0.3.2".to_string()), |number| {
        let On { stream, x, y } = &on[number];
        let took = time(arguments.count, || {
            unsafe {
                cust::launch!(saxpy<<<1, 256, 0, stream>>>(ELEMENTS as i32, 2f32, x.as_device_ptr(), y.as_device_ptr()))?;
            }
            Ok(())
        })?;
        stream.synchronize()?;
        Ok(took)
    })
}

fn main() {
    peers::main(run)
}
