//! Reading what C passes in: structs of any version, texts, lists, codes and numbers.

use std::ffi::{CStr, c_char};
use std::mem::{self, MaybeUninit};
use std::slice;

use super::error::Failure;
use super::guard;

/// No struct gets this large; a size beyond it was never set.
const LARGEST: usize = 64 * 1024;

/// A struct that the caller fills and that begins with its own size.
///
/// # Safety
///
/// It is `repr(C)`, begins with `struct_size: usize`, and all zeros are a value of it.
pub(super) unsafe trait CallerStruct: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// Its size in the first release that had it, the least that a caller can have: where the field ends that was the
    /// last one then. It does not move when the struct grows.
    const FIRST_SIZE: usize;
}

/// The caller's struct as this library knows it; fields that the caller does not know are zero, and so are all for NULL.
pub(super) unsafe fn read<T: CallerStruct>(pointer: *const T) -> Result<T, Failure> {
    // SAFETY: the trait promises that all zeros are a value.
    let mut known: T = unsafe { MaybeUninit::zeroed().assume_init() };
    if pointer.is_null() {
        return Ok(known);
    }
    // SAFETY: every such struct begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    if size < T::FIRST_SIZE || size > LARGEST {
        return Err(Failure::argument(
            "struct_size",
            format_args!(
                "is {size}; expected sizeof({}), which is {} in this library",
                T::NAME,
                mem::size_of::<T>()
            ),
        ));
    }
    // SAFETY: the caller's struct has as many bytes as it says.
    let bytes = unsafe { slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (ours, beyond) = bytes.split_at(size.min(mem::size_of::<T>()));
    if let Some(at) = beyond.iter().position(|byte| *byte != 0) {
        return Err(Failure::argument(
            "struct_size",
            format_args!(
                "is {size}, and byte {} of the {} is not zero: it sets an option that this library, which knows {} bytes, does not have",
                ours.len() + at,
                T::NAME,
                mem::size_of::<T>()
            ),
        ));
    }
    // SAFETY: `known` has room for these bytes, and they are a prefix of the same struct.
    unsafe {
        (&raw mut known)
            .cast::<u8>()
            .copy_from_nonoverlapping(ours.as_ptr(), ours.len());
    }
    Ok(known)
}

/// The bytes behind a pointer that is not NULL.
pub(super) unsafe fn bytes<'a>(data: *const c_char, length: usize) -> Result<&'a [u8], Failure> {
    if isize::try_from(length).is_err() {
        return Err(Failure::argument(
            "length",
            format_args!("is {length}, more than an object can have"),
        ));
    }
    // SAFETY: the caller's data has as many bytes as it says.
    Ok(unsafe { slice::from_raw_parts(data.cast::<u8>(), length) })
}

/// The bytes behind a pointer that may be NULL if there are none.
pub(super) unsafe fn optional_bytes<'a>(
    data: *const c_char,
    length: usize,
) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    guard::refuse_null(data, "data")?;
    // SAFETY: it is not NULL, and the caller says how long it is.
    unsafe { bytes(data, length) }
}

/// A text of the caller's; none for NULL.
pub(super) unsafe fn text<'a>(
    pointer: *const c_char,
    argument: &str,
) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: texts of the caller's end with NUL.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    utf8(bytes, argument).map(Some)
}

fn utf8<'a>(bytes: &'a CStr, argument: &str) -> Result<&'a str, Failure> {
    bytes
        .to_str()
        .map_err(|error| Failure::utf8(argument, error))
}

/// A list of byte strings of the caller's that ends with NULL; none for NULL itself.
pub(super) unsafe fn list<'a>(mut pointer: *const *const c_char) -> Option<Vec<&'a CStr>> {
    if pointer.is_null() {
        return None;
    }
    let mut list = Vec::new();
    // SAFETY: the list ends with NULL, and its elements end with NUL.
    unsafe {
        while !(*pointer).is_null() {
            list.push(CStr::from_ptr(*pointer));
            pointer = pointer.add(1);
        }
    }
    Some(list)
}

/// A list of texts of the caller's; none for NULL.
pub(super) unsafe fn texts<'a>(
    pointer: *const *const c_char,
    argument: &str,
) -> Result<Option<Vec<&'a str>>, Failure> {
    // SAFETY: as for the list.
    let Some(list) = (unsafe { list(pointer) }) else {
        return Ok(None);
    };
    let element = |(i, bytes)| utf8(bytes, &format!("{argument}[{i}]"));
    list.into_iter()
        .enumerate()
        .map(element)
        .collect::<Result<_, _>>()
        .map(Some)
}

/// A named constant, and what it stands for.
pub(super) type Choice<T> = (i32, &'static str, T);

/// What a code of the caller's stands for.
pub(super) fn choice<T: Copy>(
    code: i32,
    argument: &str,
    choices: &[Choice<T>],
) -> Result<T, Failure> {
    if let Some((.., meaning)) = choices.iter().find(|(number, ..)| *number == code) {
        return Ok(*meaning);
    }
    let expected: Vec<String> = choices
        .iter()
        .map(|(number, name, _)| format!("{name} ({number})"))
        .collect();
    Err(Failure::argument(
        argument,
        format_args!("is {code}; expected {}", expected.join(" or ")),
    ))
}

/// A number of the caller's, where 0 is the default.
pub(super) fn number<T>(number: T, argument: &str, default: T, most: T) -> Result<T, Failure>
where
    T: Copy + PartialOrd + Default + std::fmt::Display,
{
    let zero = T::default();
    if number == zero {
        return Ok(default);
    }
    if number < zero || number > most {
        return Err(Failure::argument(
            argument,
            format_args!("is {number}; expected 1 to {most}, or 0 for the default, {default}"),
        ));
    }
    Ok(number)
}

/// Refuses what a later version of this library may give a meaning.
pub(super) fn reserved(value: i32) -> Result<(), Failure> {
    match value {
        0 => Ok(()),
        _ => Err(Failure::argument(
            "reserved",
            format_args!("is {value}; expected 0"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[repr(C)]
    #[derive(Debug, Clone, Copy)]
    struct Known {
        struct_size: usize,
        first: u64,
        later: u64,
    }

    // SAFETY: `repr(C)`, the size first, and integers only.
    unsafe impl CallerStruct for Known {
        const NAME: &'static str = "known";
        const FIRST_SIZE: usize = 16;
    }

    fn read_words(words: &[usize]) -> Result<Known, Failure> {
        // SAFETY: the words are at least as many as their first says, where it is not refused.
        unsafe { read(words.as_ptr().cast::<Known>()) }
    }

    #[test]
    fn structs_of_other_versions_are_read() {
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { read(ptr::null::<Known>()) }.unwrap().first, 0);
        let old = read_words(&[16, 7, 9]).unwrap();
        assert_eq!((old.struct_size, old.first, old.later), (16, 7, 0));
        let new = read_words(&[32, 7, 9, 0]).unwrap();
        assert_eq!((new.first, new.later), (7, 9));
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        for words in [&[0, 7, 9][..], &[15, 7, 9], &[usize::MAX, 7, 9]] {
            let failure = read_words(words).unwrap_err();
            assert!(failure.message.contains("sizeof(known), which is 24"));
        }
        let failure = read_words(&[32, 7, 9, 1 << 16]).unwrap_err();
        assert!(
            failure.message.contains("byte 26 of the known"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn numbers_have_a_default_and_a_limit() {
        assert_eq!(number(0, "n", 5, 10).unwrap(), 5);
        assert_eq!(number(10, "n", 5, 10).unwrap(), 10);
        assert!(number(11, "n", 5, 10).is_err());
        assert!(number(-1, "n", 5, 10).is_err());
    }
}
