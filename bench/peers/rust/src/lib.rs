//! What the peers in Rust share: the answers that bench/race expects of a peer.
//!
//! The first line that a peer prints is "ready", its name and its version, or why it cannot run.
//! Then every line that it reads asks for a round: COUNT operations, which are timed, and a
//! synchronization, which is not. The answer is the nanoseconds that one operation took.

use std::io::{BufRead, Write};
use std::time::Instant;

pub const ELEMENTS: usize = 256;
pub const STREAMS: usize = 8; // they are not alike: each round takes the next, as Go and C do
pub const NODES: usize = 20; // of a graph

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Arguments are the last of the command line.
pub struct Arguments {
    pub program: String, // launch or graphs
    pub image: String,
    pub count: usize,
}

pub fn arguments() -> Result<Arguments> {
    let list: Vec<String> = std::env::args().skip(1).collect();
    match list.as_slice() {
        [program, image, count] if program == "launch" || program == "graphs" => Ok(Arguments {
            program: program.clone(),
            image: image.clone(),
            count: count.parse()?,
        }),
        _ => Err("usage: launch|graphs IMAGE COUNT".into()),
    }
}

/// Whether the driver is cudagen's fake one, which runs no kernel and captures no launch.
pub fn fake() -> bool {
    std::env::var_os("CUDAGEN_PEERS_FAKE").is_some()
}

/// Compares y with 2 * x after one launch of saxpy on x = 0, 1, 2 … and y = 0.
pub fn check(y: &[f32]) -> Result<()> {
    if fake() {
        return Ok(());
    }
    for (i, value) in y.iter().enumerate() {
        if *value != 2.0 * i as f32 {
            return Err(format!("y[{i}] is {value}, want {}", 2 * i).into());
        }
    }
    Ok(())
}

/// Times count calls of operation.
pub fn time(count: usize, mut operation: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..count {
        operation()?;
    }
    Ok(start.elapsed().as_nanos() as f64 / count as f64)
}

/// Answers requests with what round returns for the number of a stream, until there are no more.
pub fn serve(ready: Result<String>, mut round: impl FnMut(usize) -> Result<f64>) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "ready {}", ready?)?;
    out.flush()?;
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        line?;
        writeln!(out, "{}", round(number % STREAMS)?)?;
        out.flush()?;
    }
    Ok(())
}

/// Runs a peer and reports why it cannot run in its first line.
pub fn main(run: impl FnOnce() -> Result<()>) {
    if let Err(e) = run() {
        println!("{}", e.to_string().replace('\n', " "));
        std::process::exit(1);
    }
}
