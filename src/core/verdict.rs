//! The verdict on a server, with its evidence, and its form as JSON.

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// What it took to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// Nothing: it ended by itself before it was asked to.
    Exited,
    /// The end of its standard input.
    StdinClosed,
    /// SIGTERM to its process group.
    Terminated,
    /// SIGKILL to its process group.
    Killed,
    /// It outlived SIGKILL and was left behind.
    Abandoned,
}
