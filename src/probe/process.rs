//! A running server: its three streams, and its end.

use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use std::time::Duration;

use super::clock::{Clock, Timer};
use super::command::{Command, StartError, StderrMode};
use super::exit::{Means, Watch};
use super::fd;
use super::group::Group;
use super::inlet::{Inlet, Input};
use super::outlet::Outlet;
use super::start::{self, ChildStdio};
use super::tail::Tail;
use crate::core::verdict::{Exit, Shutdown};

/// How long the end of the output waits for the exit that explains it, and an exit for the end of the output.
const WINDOW: Duration = Duration::from_millis(100);
const BUFFER_SIZE: usize = 64 * 1024;
/// What may be read in one go before others get their turn. No pipe holds more than this by default,
/// so it is also what a process that has ended can have left behind.
const MOST_AT_ONCE: usize = 1024 * 1024;

/// A child process that leads a group of its own.
///
/// Dropped before [`Process::end`] has run to its end it closes the streams, kills the group and reaps the child.
pub struct Process {
    // In this order, so that the streams are closed before the group is killed.
    stdin: Option<Outlet>,
    stdout: Option<Inlet>,
    stderr: Option<Inlet>,
    watch: Watch,
    pub(super) group: Group,
    buffer: Vec<u8>,
    filled: usize,
    tail: Tail,
    received: u64,
    received_after_exit: usize,
    pub(super) clock: Clock,
    window: Timer,
    told: Told,
    /// The strongest thing that was done to the process while it lived.
    pub(super) pressure: Shutdown,
    pub(super) shutdown: Option<Shutdown>,
}

/// Something that a process did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It wrote to standard output: [`Process::output`] has the bytes.
    Output,
    /// It closed standard output, and lives on.
    OutputClosed,
    /// It has ended, and all it wrote has been told. [`Process::exit`] knows how, if anybody does.
    Exited,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    OutputClosed,
    Exited,
}

/// Starts a command, inside a runtime with I/O and time. At most `stderr_limit` bytes of its standard error are kept; its time is
/// told by the clock.
///
/// # Errors
///
/// When the command cannot be started; nothing is left of the attempt.
pub async fn start(
    command: &Command,
    stderr_limit: usize,
    clock: &Clock,
) -> Result<Process, StartError> {
    start_watched(command, stderr_limit, clock, Means::Best).await
}

async fn start_watched(
    command: &Command,
    stderr_limit: usize,
    clock: &Clock,
    means: Means,
) -> Result<Process, StartError> {
    let found = start::find(command)?;
    let (ours, theirs) =
        Streams::open(command.stderr).map_err(|error| StartError::from_io(command, &error))?;
    let group = Group::new(found.spawn(theirs).await?);
    Ok(Process::new(ours, group, stderr_limit, clock, means))
}

/// Our ends of the streams. They are made ready before the start, so that nothing can fail after it.
struct Streams {
    stdin: Outlet,
    stdout: Inlet,
    stderr: Option<Inlet>,
}

impl Streams {
    /// Our ends, and those of the child.
    fn open(stderr_mode: StderrMode) -> io::Result<(Streams, ChildStdio)> {
        let (their_stdin, stdin) = fd::pipe()?;
        let (stdout, their_stdout) = fd::pipe()?;
        let (stderr, their_stderr) = match stderr_mode {
            StderrMode::Capture => {
                let (stderr, theirs) = fd::pipe()?;
                (Some(stderr), Stdio::from(theirs))
            }
            StderrMode::Inherit => (None, Stdio::inherit()),
            StderrMode::Discard => (None, Stdio::from(fd::null()?)),
        };
        let theirs = ChildStdio {
            stdin: their_stdin,
            stdout: their_stdout,
            stderr: their_stderr,
        };
        Ok((Streams::new(stdin, stdout, stderr)?, theirs))
    }

    fn new(stdin: OwnedFd, stdout: OwnedFd, stderr: Option<OwnedFd>) -> io::Result<Streams> {
        Ok(Streams {
            stdin: Outlet::new(stdin)?,
            stdout: Inlet::new(stdout)?,
            stderr: stderr.map(Inlet::new).transpose()?,
        })
    }
}

/// A process that nobody waits for, outside of any runtime. Reads and writes on its streams wait.
///
/// Dropped it closes the streams, kills the group and reaps the child.
#[derive(Debug)]
pub(super) struct Idle {
    // In this order, so that the streams are closed before the group is killed.
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: Option<OwnedFd>,
    pub(super) group: Group,
}

impl Idle {
    /// The process inside of a runtime, to be ended there.
    pub(super) fn resume(self, clock: &Clock) -> io::Result<Process> {
        let Idle {
            stdin,
            stdout,
            stderr,
            group,
        } = self;
        let streams = Streams::new(stdin, stdout, stderr)?;
        Ok(Process::new(streams, group, 0, clock, Means::Best))
    }
}

impl Process {
    fn new(
        streams: Streams,
        group: Group,
        stderr_limit: usize,
        clock: &Clock,
        means: Means,
    ) -> Process {
        Process {
            stdin: Some(streams.stdin),
            stdout: Some(streams.stdout),
            stderr: streams.stderr,
            watch: Watch::new(group.leader(), means),
            group,
            buffer: Vec::with_capacity(BUFFER_SIZE),
            filled: 0,
            tail: Tail::new(stderr_limit),
            received: 0,
            received_after_exit: 0,
            clock: clock.clone(),
            window: clock.timer(WINDOW),
            told: Told::Nothing,
            pressure: Shutdown::Exited,
            shutdown: None,
        }
    }

    /// Takes the process out of the runtime. None if it has ended, or has closed its standard input or output; then it is
    /// gone.
    pub(super) fn let_go(mut self) -> Option<Idle> {
        if self.group.look() {
            return None;
        }
        Some(Idle {
            stdin: self.stdin?.into_inner().ok()?,
            stdout: self.stdout?.into_inner().ok()?,
            stderr: match self.stderr {
                Some(stderr) => Some(stderr.into_inner().ok()?),
                None => None,
            },
            group: self.group,
        })
    }

    /// Waits until all that was sent is written, or until nobody reads it any more.
    pub(super) async fn flush(&mut self) {
        poll_fn(|cx| {
            self.poll_stdin(cx);
            self.poll_stderr(cx);
            match &self.stdin {
                Some(stdin) if !stdin.is_flushed() => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
    }

    /// The process id, which is also the number of its group.
    pub fn pid(&self) -> u32 {
        self.group.leader() as u32
    }

    /// Queues bytes for standard input. What the pipe does not take now is written while [`Process::event`] is awaited.
    ///
    /// When nobody reads standard input, the bytes are dropped.
    pub fn send(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin
            && stdin.send(bytes).is_err()
        {
            self.stdin = None;
        }
    }

    /// Whether standard input is open, as far as is known: not after [`Process::close_stdin`], nor once a write has failed.
    pub fn stdin_is_open(&self) -> bool {
        self.stdin.is_some()
    }

    /// Closes standard input at once. Bytes that the pipe has not taken yet are dropped.
    pub fn close_stdin(&mut self) {
        self.press(Shutdown::StdinClosed);
        self.stdin = None;
    }

    /// The next thing that the process does. Standard error is read along the way, and only its tail is kept.
    ///
    /// Dropping the future loses nothing. The exit is told at most 100 ms after it was seen, even where another process
    /// keeps the streams open. After [`Event::Exited`], and after [`Process::end`], this waits for ever.
    pub async fn event(&mut self) -> Event {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// The bytes of the latest [`Event::Output`], until the next event is awaited.
    pub fn output(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// How the process ended. None while it has not been seen to have ended, or when the host has taken the status away.
    pub fn exit(&self) -> Option<Exit> {
        self.group.exit()
    }

    /// The last bytes of standard error.
    pub fn stderr_tail(&self) -> &[u8] {
        self.tail.bytes()
    }

    /// The last bytes of standard error, as text.
    pub fn stderr_text(&self) -> String {
        self.tail.text()
    }

    /// How many bytes of standard error came before the tail.
    pub fn stderr_dropped(&self) -> u64 {
        self.tail.dropped()
    }

    /// How many bytes came on standard output.
    pub fn bytes_received(&self) -> u64 {
        self.received
    }

    /// As [`Process::event`].
    pub(super) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        self.filled = 0;
        if self.told == Told::Exited {
            return Poll::Pending;
        }
        self.poll_stdin(cx);
        self.poll_stderr(cx);
        // Before the output is read: then what is read includes the last that an ended process wrote.
        self.poll_exit(cx);
        if self.may_read_on(cx)
            && let Poll::Ready(count) = self.poll_stdout(cx)
        {
            self.filled = count;
            return Poll::Ready(Event::Output);
        }
        self.poll_silence(cx)
    }

    /// What it means that there is no output now.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        if self.group.has_ended() {
            if self.has_open_output() && Pin::new(&mut self.window).poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.told = Told::Exited;
            return Poll::Ready(Event::Exited);
        }
        if self.stdout.is_none() && self.told == Told::Nothing {
            if Pin::new(&mut self.window).poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.told = Told::OutputClosed;
            return Poll::Ready(Event::OutputClosed);
        }
        Poll::Pending
    }

    /// False once somebody else fills the output of an ended process without end.
    fn may_read_on(&mut self, cx: &mut Context<'_>) -> bool {
        self.received_after_exit < MOST_AT_ONCE
            || !self.group.has_ended()
            || Pin::new(&mut self.window).poll(cx).is_pending()
    }

    fn poll_stdin(&mut self, cx: &mut Context<'_>) {
        if let Some(stdin) = &mut self.stdin
            && stdin.poll_flush(cx).is_ready()
        {
            self.stdin = None;
        }
    }

    /// Reads standard output into the buffer. Pending also after its end.
    fn poll_stdout(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        let Some(stdout) = &mut self.stdout else {
            return Poll::Pending;
        };
        match stdout.poll_read(cx, &mut self.buffer) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Input::Bytes(count)) => {
                self.received += count as u64;
                if self.group.has_ended() {
                    self.received_after_exit += count;
                }
                Poll::Ready(count)
            }
            Poll::Ready(Input::End) => {
                self.stdout = None;
                if !self.group.has_ended() {
                    self.open_window();
                }
                Poll::Pending
            }
        }
    }

    /// Reads standard error into the tail.
    fn poll_stderr(&mut self, cx: &mut Context<'_>) {
        let mut taken = 0;
        while let Some(stderr) = &mut self.stderr
            && let Poll::Ready(input) = stderr.poll_read(cx, &mut self.buffer)
        {
            match input {
                Input::Bytes(count) => {
                    self.filled = 0;
                    self.tail.push(&self.buffer[..count]);
                    taken += count;
                }
                Input::End => self.stderr = None,
            }
            if taken >= MOST_AT_ONCE {
                cx.waker().wake_by_ref();
                return;
            }
        }
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) {
        if !self.group.has_ended()
            && let Poll::Ready(status) = self.watch.poll(cx)
        {
            self.group.note(status);
            self.open_window();
        }
    }

    fn open_window(&mut self) {
        self.window.reset(WINDOW);
    }
}

/// What the way down needs.
impl Process {
    /// Remembers what is about to be done to the process, unless it has ended before.
    pub(super) fn press(&mut self, step: Shutdown) {
        if !self.group.look() {
            self.pressure = step;
        }
    }

    /// Has nobody woken for what comes on the outputs, until they are read again. False, and nothing else, where the end
    /// is not told by the system.
    pub(super) fn listens_for_the_end_alone(&mut self) -> bool {
        if !self.watch.is_told() {
            return false;
        }
        for output in [&mut self.stdout, &mut self.stderr].into_iter().flatten() {
            output.forget();
        }
        true
    }

    /// Waits until the watch has seen the end, and reads nothing.
    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_exit(cx);
        match self.group.has_ended() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }

    pub(super) fn has_open_output(&self) -> bool {
        self.stdout.is_some() || self.stderr.is_some()
    }

    /// Takes what is there on both outputs, hands on that of standard output, and notes an exit.
    pub(super) fn pump(&mut self, cx: &mut Context<'_>, output: &mut impl FnMut(&[u8])) {
        self.poll_stderr(cx);
        self.poll_exit(cx);
        let mut taken = 0;
        while let Poll::Ready(count) = self.poll_stdout(cx) {
            output(&self.buffer[..count]);
            taken += count;
            if taken >= MOST_AT_ONCE {
                cx.waker().wake_by_ref();
                return;
            }
        }
    }

    /// Closes what is still open; from here on [`Process::event`] waits for ever.
    pub(super) fn close(&mut self) {
        self.stdin = None;
        self.stdout = None;
        self.stderr = None;
        self.filled = 0;
        self.told = Told::Exited;
    }
}

#[cfg(test)]
mod tests;
