//! What stands for the probe where there are no processes and descriptors as Unix has them: nothing can be made, so all that
//! could be done with it needs no body.

use std::io;

use cancel::Cancel;
use connection::Connection;

use super::{Failure, Options};
use crate::core::verdict::Verdict;

fn refused() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this library does not know the processes and descriptors of this system yet",
    )
}

/// Refuses.
///
/// # Errors
///
/// Always.
pub fn stdio(_: &Options, _: Option<&Cancel>) -> Result<Verdict, Failure> {
    Err(Failure::Runtime(refused()))
}

/// Refuses.
///
/// # Errors
///
/// Always.
pub fn open(
    _: &Options,
    _: Option<&Verdict>,
    _: Option<&Cancel>,
) -> Result<(Verdict, Option<Connection>), Failure> {
    Err(Failure::Runtime(refused()))
}

/// Stopping a call.
pub mod cancel {
    use std::io;

    /// A switch that nobody has.
    #[derive(Debug)]
    pub enum Cancel {}

    impl Cancel {
        /// Refuses.
        ///
        /// # Errors
        ///
        /// Always.
        pub fn new() -> io::Result<Cancel> {
            Err(super::refused())
        }

        /// Is never called.
        pub fn fire(&self) {
            match *self {}
        }

        /// Is never called.
        pub fn is_fired(&self) -> bool {
            match *self {}
        }

        /// Is never called.
        pub fn made_here(&self) -> bool {
            match *self {}
        }
    }
}

/// Servers that are kept.
pub mod connection {
    use std::io;

    use super::cancel::Cancel;
    use super::shutdown::Haste;
    use crate::core::verdict::{Exit, Shutdown};

    /// A server that nobody has.
    pub enum Connection {}

    /// How a connection ended.
    pub struct End {
        /// The exit status of the server.
        pub exit: Option<Exit>,
        /// What it took.
        pub shutdown: Shutdown,
    }

    impl Connection {
        /// Is never called.
        pub fn pid(&self) -> i32 {
            match *self {}
        }

        /// Is never called.
        pub fn descriptors(&self) -> (i32, i32, Option<i32>) {
            match *self {}
        }

        /// Is never called.
        pub fn unread(&self) -> &[u8] {
            match *self {}
        }

        /// Is never called.
        pub fn made_here(&self) -> bool {
            match *self {}
        }

        /// Is never called.
        ///
        /// # Errors
        ///
        /// None.
        pub fn close(&mut self, _: Haste, _: Option<&Cancel>) -> io::Result<End> {
            match *self {}
        }

        /// Is never called.
        pub fn release(self) {
            match self {}
        }
    }
}

/// Many probes side by side.
pub mod scan {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use super::cancel::Cancel;
    use crate::core::verdict::Verdict;
    use crate::probe::{Failure, Options};

    /// A scan that nobody has.
    pub enum Scan {}

    /// What a probe came to.
    #[derive(Debug)]
    pub struct Finished {
        /// The caller's own name for the probe.
        pub tag: u64,
        /// The verdict, or why there is none.
        pub outcome: Result<Verdict, Failure>,
    }

    /// No probe has finished within the time.
    #[derive(Debug)]
    pub struct TimedOut;

    impl Scan {
        /// Refuses.
        ///
        /// # Errors
        ///
        /// Always.
        pub fn new(_: usize) -> io::Result<Scan> {
            Err(super::refused())
        }

        /// Is never called.
        pub fn cancel(&self) -> Arc<Cancel> {
            match *self {}
        }

        /// Is never called.
        pub fn add(&mut self, _: u64, _: Options, _: Option<Arc<Cancel>>) {
            match *self {}
        }

        /// Is never called.
        ///
        /// # Errors
        ///
        /// None.
        pub fn next(&mut self, _: Option<Duration>) -> Result<Option<Finished>, TimedOut> {
            match *self {}
        }
    }
}

/// Ending processes.
pub mod shutdown {
    use std::time::Duration;

    /// How much time a process gets to end.
    pub enum Haste {
        /// Some.
        Polite {
            /// The time.
            grace: Duration,
        },
    }
}

/// Probing over descriptors of the caller's.
pub mod transport {
    use std::marker::PhantomData;

    use super::cancel::Cancel;
    use crate::core::verdict::Verdict;
    use crate::probe::{Failure, Options};

    /// What leads to a server and back.
    pub struct Descriptors<'a>(PhantomData<&'a ()>);

    impl Descriptors<'_> {
        /// Whatever the numbers are.
        ///
        /// # Safety
        ///
        /// None is needed.
        pub unsafe fn borrow(_: i32, _: i32) -> Self {
            Descriptors(PhantomData)
        }
    }

    /// Refuses.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn probe(
        _: &Options,
        _: Descriptors<'_>,
        _: bool,
        _: Option<&Verdict>,
        _: Option<&Cancel>,
    ) -> Result<(Verdict, Option<Vec<u8>>), Failure> {
        Err(Failure::Runtime(super::refused()))
    }
}
