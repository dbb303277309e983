//! What an owned pointer in C points to: the struct that C sees, and behind it what belongs to it.

use super::arena::Arena;
use super::guard;

/// The struct comes first, so that a pointer to the handle is a pointer to the struct.
#[repr(C)]
pub(super) struct Handle<Public, Behind = ()> {
    public: Public,
    arena: Arena,
    behind: Behind,
}

impl<Public> Handle<Public> {
    /// Hands a struct and the arena it points into to C, until [`free`](Handle::free).
    pub(super) fn give(public: Public, arena: Arena) -> *mut Public {
        Handle::give_with(public, arena, ())
    }
}

impl<Public, Behind> Handle<Public, Behind> {
    /// As [`give`](Handle::give), with something that C does not see.
    pub(super) fn give_with(public: Public, arena: Arena, behind: Behind) -> *mut Public {
        let handle = Handle {
            public,
            arena,
            behind,
        };
        Box::into_raw(Box::new(handle)).cast()
    }

    /// What C does not see.
    pub(super) unsafe fn behind<'a>(public: *const Public) -> &'a Behind {
        // SAFETY: the pointer is one that was given, so a whole handle is there, and nobody changes it.
        let handle = unsafe { &*public.cast::<Self>() };
        &handle.behind
    }

    /// Both, to be changed.
    pub(super) unsafe fn parts<'a>(public: *mut Public) -> (&'a mut Public, &'a mut Behind) {
        // SAFETY: the pointer is one that was given, so a whole handle is there, and nobody else uses it.
        let handle = unsafe { &mut *public.cast::<Self>() };
        (&mut handle.public, &mut handle.behind)
    }

    /// Takes back what was given; NULL is nothing.
    pub(super) unsafe fn free(public: *mut Public) {
        // SAFETY: the pointer is one that was given, and is not used again.
        unsafe { free(public.cast::<Self>()) };
    }
}

/// Takes back what was given in a box; NULL is nothing.
pub(super) unsafe fn free<T>(given: *mut T) {
    if given.is_null() {
        return;
    }
    // SAFETY: it came out of a box, and is not used again.
    let given = unsafe { Box::from_raw(given) };
    guard::run_quietly(move || drop(given));
}
