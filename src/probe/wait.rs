//! Waiting: for a future, and for the first of two.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::runtime;

/// Waits for a future, in a runtime of its own.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let mut output = None;
    {
        let future = pin!(async { output = Some(future.await) });
        run(future)?;
    }
    output.ok_or_else(|| io::ErrorKind::Interrupted.into())
}

/// Every future goes through this one function, for a runtime is much code for each kind of future.
fn run(future: Pin<&mut dyn Future<Output = ()>>) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(future);
    Ok(())
}

/// What comes first: the future's output, or none if the other one is done before.
pub(super) async fn first_of<T>(
    future: impl Future<Output = T>,
    mut other: Pin<&mut (impl Future<Output = ()> + ?Sized)>,
) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match other.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => future.as_mut().poll(cx).map(Some),
    })
    .await
}

/// The future's output, if it is there already.
pub(super) async fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
