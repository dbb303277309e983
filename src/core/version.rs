//! Protocol versions: the era each belongs to, and the client's preference among them.

use std::borrow::Cow;
use std::fmt;

/// The modern versions this library speaks, best first.
pub const MODERN: &[&str] = &["2026-07-28"];

/// The legacy versions this library knows, best first.
pub const LEGACY: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// How a server is spoken to: by stateless requests, or after an `initialize` handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Nothing the server did tells.
    Unknown,
    /// Stateless requests, from 2026-07-28 on.
    Modern,
    /// The `initialize` handshake, up to 2025-11-25.
    Legacy,
    /// What a later version of the library knows.
    Unrecognized,
}

impl Era {
    /// All that can be told.
    pub const ALL: &[Era] = &[Era::Unknown, Era::Modern, Era::Legacy];

    /// The era of a version: one dated up to 2025-11-25 is legacy, any other is modern.
    pub fn of(version: &str) -> Era {
        match is_date(version) && version <= LEGACY[0] {
            true => Era::Legacy,
            false => Era::Modern,
        }
    }

    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Era::Unknown => "unknown",
            Era::Modern => "modern",
            Era::Legacy => "legacy",
            Era::Unrecognized => "unrecognized",
        }
    }
}

/// Whether the text has the form YYYY-MM-DD.
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(i, byte)| match i {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// The versions a client speaks, in its order of preference, by era.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preference {
    modern: Vec<Version>,
    legacy: Vec<Version>,
}

/// Most clients speak the versions that the library knows.
type Version = Cow<'static, str>;

/// Why two lists are no preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreferenceError {
    /// Without a modern version there is nothing to ask discover with.
    NoModernVersion,
    /// This version belongs into the list of the other era.
    WrongEra(String),
    /// A version is the empty string.
    EmptyVersion,
}

impl fmt::Display for PreferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModernVersion => f.write_str(
                "the list of modern versions is empty: server/discover is asked with the first of them",
            ),
            Self::WrongEra(version) => write!(
                f,
                "{version:?} is a {} version and belongs into the other list",
                Era::of(version).name()
            ),
            Self::EmptyVersion => f.write_str("a protocol version is empty"),
        }
    }
}

impl Default for Preference {
    fn default() -> Self {
        Self {
            modern: known(MODERN),
            legacy: known(LEGACY),
        }
    }
}

impl Preference {
    /// A preference of two lists, each best first. `None` is the default list; an empty legacy list is a modern-only client.
    pub fn new(
        modern: Option<Vec<String>>,
        legacy: Option<Vec<String>>,
    ) -> Result<Self, PreferenceError> {
        let preference = Self {
            modern: modern.map_or_else(|| known(MODERN), named),
            legacy: legacy.map_or_else(|| known(LEGACY), named),
        };
        if preference.modern.is_empty() {
            return Err(PreferenceError::NoModernVersion);
        }
        for (list, era) in [
            (&preference.modern, Era::Modern),
            (&preference.legacy, Era::Legacy),
        ] {
            for version in list {
                if version.is_empty() {
                    return Err(PreferenceError::EmptyVersion);
                }
                if Era::of(version) != era {
                    return Err(PreferenceError::WrongEra(version.to_string()));
                }
            }
        }
        Ok(preference)
    }

    /// The modern versions, best first.
    pub fn modern(&self) -> impl Iterator<Item = &str> {
        self.modern.iter().map(Cow::as_ref)
    }

    /// The version discover is asked with.
    pub fn first_modern(&self) -> &str {
        &self.modern[0]
    }

    /// The version initialize is asked with; none for a modern-only client.
    pub fn first_legacy(&self) -> Option<&str> {
        self.legacy.first().map(Cow::as_ref)
    }

    /// The modern versions that the server names too, in the client's order.
    pub fn common_modern(&self, named: &[impl AsRef<str>]) -> impl Iterator<Item = &str> {
        common(&self.modern, named)
    }

    /// The legacy versions that the server names too, in the client's order.
    pub fn common_legacy(&self, named: &[impl AsRef<str>]) -> impl Iterator<Item = &str> {
        common(&self.legacy, named)
    }

    /// The best version that the server names too: a modern one if there is one, then a legacy one.
    pub fn select(&self, named: &[impl AsRef<str>]) -> Option<&str> {
        self.common_modern(named)
            .chain(self.common_legacy(named))
            .next()
    }
}

fn known(versions: &[&'static str]) -> Vec<Version> {
    versions.iter().copied().map(Cow::Borrowed).collect()
}

fn named(versions: Vec<String>) -> Vec<Version> {
    versions.into_iter().map(Cow::Owned).collect()
}

fn common<'a>(own: &'a [Version], named: &[impl AsRef<str>]) -> impl Iterator<Item = &'a str> {
    own.iter()
        .map(Cow::as_ref)
        .filter(|version| named.iter().any(|other| other.as_ref() == *version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_dated_up_to_the_last_legacy_one_is_legacy() {
        for version in ["2024-11-05", "2025-11-25", "2025-06-18", "0001-01-01"] {
            assert_eq!(Era::of(version), Era::Legacy, "{version}");
        }
        for version in [
            "2025-11-26",
            "2026-07-28",
            "DRAFT-2026-v1",
            "",
            "2025-11-2",
            "20251125xx",
        ] {
            assert_eq!(Era::of(version), Era::Modern, "{version}");
        }
    }

    #[test]
    fn the_order_of_the_client_decides() {
        let client = Preference::new(
            Some(vec!["2027-01-01".into(), "2026-07-28".into()]),
            Some(vec!["2025-06-18".into(), "2024-11-05".into()]),
        )
        .unwrap();
        assert_eq!(
            client.select(&["2026-07-28", "2027-01-01"]),
            Some("2027-01-01")
        );
        assert_eq!(
            client.select(&["2024-11-05", "2025-06-18"]),
            Some("2025-06-18")
        );
        assert_eq!(
            client.select(&["2024-11-05", "2026-07-28"]),
            Some("2026-07-28")
        );
        assert_eq!(client.select(&["2025-11-25"]), None);
    }

    #[test]
    fn a_version_in_the_wrong_list_is_refused_by_name() {
        let refused = |modern: &[&str], legacy: &[&str]| {
            let list = |l: &[&str]| Some(l.iter().map(ToString::to_string).collect());
            Preference::new(list(modern), list(legacy)).unwrap_err()
        };
        assert_eq!(refused(&[], &[]), PreferenceError::NoModernVersion);
        assert_eq!(
            refused(&["2025-11-25"], &[]),
            PreferenceError::WrongEra("2025-11-25".into())
        );
        assert_eq!(
            refused(&["2026-07-28"], &["2026-07-28"]),
            PreferenceError::WrongEra("2026-07-28".into())
        );
        assert_eq!(
            refused(&["2026-07-28"], &[""]),
            PreferenceError::EmptyVersion
        );
    }
}
