//! The memory behind a handle: what the handle's struct points to, freed all at once.

use std::alloc::Layout;
use std::ptr;

use bumpalo::Bump;

use super::error::Failure;
use super::member::mcpd_member;
use super::str::mcpd_str;
use crate::core::result::Member;

/// There was no memory for something whose size a peer decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutOfMemory;

impl From<OutOfMemory> for Failure {
    fn from(_: OutOfMemory) -> Failure {
        Failure::out_of_memory()
    }
}

/// A value that C sees as a struct of its own.
pub(super) trait Publish {
    /// The C struct.
    type Public;

    /// The struct for C, with all that it points to in the arena.
    fn publish(&self, arena: &Arena) -> Result<Self::Public, OutOfMemory>;
}

/// An array for C: its first element, NULL if there is none, and how many there are.
pub(super) type Array<T> = (*const T, usize);

/// Memory that lives as long as a handle. Every request can fail, and none aborts.
#[derive(Default)]
pub(super) struct Arena(Bump);

impl Arena {
    /// An arena with room for about so many bytes, so that it need not grow; where there is not as much it starts small.
    pub(super) fn with_room(bytes: usize) -> Arena {
        Arena(Bump::try_with_capacity(bytes).unwrap_or_default())
    }

    /// An arena that has no more than this many bytes.
    #[cfg(test)]
    pub(super) fn limited(bytes: usize) -> Arena {
        let bump = Bump::new();
        bump.set_allocation_limit(Some(bytes));
        Arena(bump)
    }

    fn reserve<T>(&self, count: usize) -> Result<*mut T, OutOfMemory> {
        let layout = Layout::array::<T>(count).map_err(|_| OutOfMemory)?;
        let place = self.0.try_alloc_layout(layout).map_err(|_| OutOfMemory)?;
        Ok(place.as_ptr().cast())
    }

    /// A copy of the text, with a NUL behind it.
    pub(super) fn text(&self, text: &str) -> Result<mcpd_str, OutOfMemory> {
        let size = text.len().checked_add(1).ok_or(OutOfMemory)?;
        let place: *mut u8 = self.reserve(size)?;
        // SAFETY: the place is new and has room for the text and the NUL.
        unsafe {
            place.copy_from_nonoverlapping(text.as_ptr(), text.len());
            place.add(text.len()).write(0);
        }
        Ok(mcpd_str {
            ptr: place.cast(),
            len: text.len(),
        })
    }

    /// A copy of the bytes.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Result<*const u8, OutOfMemory> {
        let place: *mut u8 = self.reserve(bytes.len())?;
        // SAFETY: the place is new and has room for the bytes.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(place)
    }

    /// A copy of the text, or the absent text.
    pub(super) fn optional_text(
        &self,
        text: Option<impl AsRef<str>>,
    ) -> Result<mcpd_str, OutOfMemory> {
        text.map_or(Ok(mcpd_str::ABSENT), |text| self.text(text.as_ref()))
    }

    /// The value as a struct, or NULL.
    pub(super) fn optional<T: Publish>(
        &self,
        value: Option<&T>,
    ) -> Result<*const T::Public, OutOfMemory> {
        value.map_or(Ok(ptr::null()), |value| self.object(value))
    }

    /// The values as an array of pointers to structs.
    pub(super) fn objects<T: Publish>(
        &self,
        values: &[T],
    ) -> Result<Array<*const T::Public>, OutOfMemory> {
        self.array(values, |value| self.object(value))
    }

    /// Copies of the texts, as an array.
    pub(super) fn texts(&self, texts: &[impl AsRef<str>]) -> Result<Array<mcpd_str>, OutOfMemory> {
        self.array(texts, |text| self.text(text.as_ref()))
    }

    /// Copies of an object's members, as an array.
    pub(super) fn members(
        &self,
        members: &[Member<'_>],
    ) -> Result<Array<mcpd_member>, OutOfMemory> {
        self.array(members, |(name, value)| {
            Ok(mcpd_member {
                name: self.text(name)?,
                json: self.text(value.text())?,
            })
        })
    }

    fn object<T: Publish>(&self, value: &T) -> Result<*const T::Public, OutOfMemory> {
        let public = value.publish(self)?;
        let place: *mut T::Public = self.reserve(1)?;
        // SAFETY: the place is new, large enough and aligned for the type.
        unsafe { place.write(public) };
        Ok(place)
    }

    /// The values as an array of what each becomes.
    pub(super) fn array<T, Public>(
        &self,
        values: &[T],
        publish: impl Fn(&T) -> Result<Public, OutOfMemory>,
    ) -> Result<Array<Public>, OutOfMemory> {
        if values.is_empty() {
            return Ok((ptr::null(), 0));
        }
        let first: *mut Public = self.reserve(values.len())?;
        for (i, value) in values.iter().enumerate() {
            let public = publish(value)?;
            // SAFETY: the array is new, and has room for as many elements as there are values.
            unsafe { first.add(i).write(public) };
        }
        Ok((first, values.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_with_nul_and_may_hold_it() {
        let arena = Arena::default();
        for text in ["", "abc", "a\0b", "é"] {
            let copy = arena.text(text).unwrap();
            assert_eq!(copy.len, text.len());
            // SAFETY: the arena lives, and there is a NUL behind the text.
            let bytes = unsafe { std::slice::from_raw_parts(copy.ptr.cast::<u8>(), copy.len + 1) };
            assert_eq!(&bytes[..copy.len], text.as_bytes());
            assert_eq!(bytes[copy.len], 0);
        }
        assert!(arena.optional_text(None::<&str>).unwrap().ptr.is_null());
    }

    #[test]
    fn without_memory_it_fails() {
        let arena = Arena::limited(1000);
        assert_eq!(
            arena.text(&"x".repeat(2000)).map(|text| text.len),
            Err(OutOfMemory)
        );
        assert!(arena.texts(&vec!["x"; 1000]).is_err());
        assert!(arena.reserve::<u64>(usize::MAX / 4).is_err());
    }
}
