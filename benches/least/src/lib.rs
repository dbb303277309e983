//! See `Cargo.toml`.

use std::panic;

/// Does next to nothing.
#[unsafe(no_mangle)]
pub extern "C" fn least() -> i32 {
    panic::set_hook(Box::new(|_| {}));
    panic::catch_unwind(work).unwrap_or(-1)
}

#[cfg(not(feature = "runtime"))]
fn work() -> i32 {
    std::env::args().count() as i32
}

#[cfg(feature = "runtime")]
fn work() -> i32 {
    waiting::run().unwrap_or(-1)
}

#[cfg(feature = "runtime")]
mod waiting {
    use std::io::{self, PipeReader, Read};
    use std::process::Command;
    use std::time::Duration;

    use tokio::io::unix::AsyncFd;
    use tokio::runtime;

    pub fn run() -> io::Result<i32> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let (reader, writer) = io::pipe()?;
            let child = Command::new("/bin/true")
                .env("A", "b")
                .stdout(writer)
                .spawn()?;
            // SAFETY: the pipe keeps its descriptor, and has it open until it is dropped.
            let reader: AsyncFd<PipeReader> = unsafe { AsyncFd::register(reader) }?;
            tokio::time::sleep(Duration::from_millis(1)).await;
            let mut guard = reader.readable().await?;
            let read = guard.try_io(|reader| reader.get_ref().read(&mut [0; 16]));
            Ok(child.id() as i32 + read.map_or(0, |count| count.unwrap_or(0) as i32))
        })
    }
}
