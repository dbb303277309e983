//! What `mcp_discover.h` declares, read for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::in_repository;

/// What the header declares.
#[derive(Debug, Default)]
pub struct Header {
    /// Names, and the types of the result and the parameters.
    pub functions: BTreeMap<String, String>,
    /// Names, and the types and names of the fields.
    pub structs: BTreeMap<String, Vec<(String, String)>>,
    pub constants: BTreeSet<String>,
    pub opaque: BTreeSet<String>,
    pub codes: BTreeSet<String>,
}

impl Header {
    pub fn read() -> Header {
        let text = fs::read_to_string(in_repository("include/mcp_discover.h")).unwrap();
        let mut header = Header::default();
        let mut statement = String::new();
        for line in without_comments(&text).lines().map(str::trim) {
            if let Some(constant) = line.strip_prefix("#define ") {
                header.constant(constant);
            } else if !line.starts_with(['#', '}']) || line.starts_with("} mcpd_") {
                statement += line;
                statement.push(' ');
                if line.ends_with(';')
                    && statement.matches('{').count() == statement.matches('}').count()
                {
                    header.declaration(statement.trim().trim_end_matches(';'));
                    statement.clear();
                } else if line == "extern \"C\" {" {
                    statement.clear();
                }
            }
        }
        header
    }

    fn constant(&mut self, definition: &str) {
        if let Some((name, _)) = definition.split_once(' ') {
            self.constants.insert(name.to_owned());
        }
    }

    fn declaration(&mut self, text: &str) {
        if let Some((head, fields)) = text.split_once('{') {
            let name = head.trim().strip_prefix("typedef struct ").expect(text);
            let fields = fields.rsplit_once('}').expect(text).0;
            let fields = fields.split(';').filter(|field| !field.trim().is_empty());
            self.structs
                .insert(name.to_owned(), fields.map(type_and_name).collect());
        } else if let Some(names) = text.strip_prefix("typedef struct ") {
            self.opaque
                .insert(names.split(' ').next().unwrap().to_owned());
        } else if let Some(code) = text.strip_prefix("typedef int32_t ") {
            self.codes.insert(code.to_owned());
        } else {
            let (head, parameters) = text.split_once('(').expect(text);
            let (result, name) = type_and_name(head);
            let parameters = parameters.trim_end_matches(')').split(',');
            let types: Vec<String> = parameters
                .map(|parameter| match parameter.trim() {
                    "void" => "void".to_owned(),
                    _ => type_and_name(parameter).0,
                })
                .collect();
            self.functions
                .insert(name, format!("{result} ({})", types.join(", ")));
        }
    }
}

/// The header without comments.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut code = parts.next().unwrap().to_owned();
    for part in parts {
        code += part.split_once("*/").unwrap().1;
    }
    code
}

/// "const char *name" to "const char *" and "name".
fn type_and_name(declaration: &str) -> (String, String) {
    let declaration = declaration.trim();
    let at = declaration.rfind([' ', '*']).expect(declaration) + 1;
    let (kind, name) = declaration.split_at(at);
    (kind.trim().to_owned(), name.to_owned())
}
