//! Who the client is, from the options that requests and probes have in common.

use std::borrow::Cow;
use std::ffi::c_char;

use super::error::Failure;
use super::options::text;
use crate::core::request::{Client, Fragment, FragmentError};

/// The caller's fields about the client, by the names that they have in every struct.
pub(super) struct ClientFields {
    pub(super) client_name: *const c_char,
    pub(super) client_version: *const c_char,
    pub(super) client_title: *const c_char,
    pub(super) client_description: *const c_char,
    pub(super) client_website_url: *const c_char,
    pub(super) client_icons_json: *const c_char,
    pub(super) client_capabilities_json: *const c_char,
}

/// Takes the fields out of an options struct.
macro_rules! client_fields {
    ($options:expr) => {
        $crate::capi::client::ClientFields {
            client_name: $options.client_name,
            client_version: $options.client_version,
            client_title: $options.client_title,
            client_description: $options.client_description,
            client_website_url: $options.client_website_url,
            client_icons_json: $options.client_icons_json,
            client_capabilities_json: $options.client_capabilities_json,
        }
    };
}
pub(super) use client_fields;

impl ClientFields {
    /// The client, this library where the caller names none.
    pub(super) unsafe fn read<'a>(&self) -> Result<Client<'a>, Failure> {
        // SAFETY: these are texts of the caller's.
        let read = |pointer, argument| unsafe { text(pointer, argument) };
        let name = read(self.client_name, "client_name")?;
        let version = read(self.client_version, "client_version")?;
        let title = read(self.client_title, "client_title")?;
        let description = read(self.client_description, "client_description")?;
        let website_url = read(self.client_website_url, "client_website_url")?;
        let icons = read(self.client_icons_json, "client_icons_json")?;
        let capabilities = read(self.client_capabilities_json, "client_capabilities_json")?;
        let needs_name = |given, argument| match given && name.is_none() {
            true => Err(Failure::argument(
                argument,
                "is set, but client_name is NULL; expected both, since it describes the client of that name",
            )),
            false => Ok(()),
        };
        needs_name(version.is_some(), "client_version")?;
        needs_name(title.is_some(), "client_title")?;
        needs_name(description.is_some(), "client_description")?;
        needs_name(website_url.is_some(), "client_website_url")?;
        needs_name(icons.is_some(), "client_icons_json")?;
        if name.is_some() && version.is_none() {
            return Err(Failure::argument(
                "client_version",
                "is NULL, but client_name is set; expected both, since the protocol requires them",
            ));
        }
        let mut client = match (name, version) {
            (Some(name), Some(version)) => Client::new(name, version),
            _ => Client::default(),
        };
        client.title = title.map(Cow::Borrowed);
        client.description = description.map(Cow::Borrowed);
        client.website_url = website_url.map(Cow::Borrowed);
        client.icons = fragment(icons, "client_icons_json", Fragment::icons)?;
        client.capabilities = fragment(
            capabilities,
            "client_capabilities_json",
            Fragment::capabilities,
        )?;
        Ok(client)
    }
}

/// A piece of JSON of the caller's, checked; none for none.
pub(super) fn fragment(
    text: Option<&str>,
    argument: &str,
    parse: fn(&str) -> Result<Fragment, FragmentError>,
) -> Result<Option<Fragment>, Failure> {
    text.map(parse)
        .transpose()
        .map_err(|error| match error.offset {
            Some(offset) => Failure::json(argument, &error, offset),
            None => Failure::argument(argument, error),
        })
}
