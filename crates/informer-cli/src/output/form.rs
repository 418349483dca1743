//! The forms that `-o` names.

use std::str::FromStr;

use super::CustomColumns;
use crate::jsonpath::Template;

/// How objects are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// For people.
    Table,
    /// With more columns.
    Wide,
    /// A List, or the object if one was named.
    Json,
    /// The same as YAML.
    Yaml,
    /// Such as `pod/web-0`, one a line.
    Name,
    JsonPath(Template),
    JsonPathAsJson(Template),
    CustomColumns(CustomColumns),
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (form, argument) =
            text.split_once('=').map_or((text, None), |(form, argument)| (form, Some(argument)));
        let template = |argument: Option<&str>| match argument {
            Some(template) if !template.is_empty() => Template::parse(template),
            _ => Err(format!("expected a template, as in {form}='{{.items[*].metadata.name}}'")),
        };
        match (form, argument) {
            ("table", None) => Ok(Self::Table),
            ("wide", None) => Ok(Self::Wide),
            ("json", None) => Ok(Self::Json),
            ("yaml", None) => Ok(Self::Yaml),
            ("name", None) => Ok(Self::Name),
            ("jsonpath", template_text) => template(template_text).map(Self::JsonPath),
            ("jsonpath-as-json", template_text) => template(template_text).map(Self::JsonPathAsJson),
            ("custom-columns", columns) => {
                CustomColumns::parse(columns.unwrap_or_default()).map(Self::CustomColumns)
            }
            _ => Err(
                "expected table, wide, json, yaml, name, jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE or \
                      custom-columns=TITLE:PATH,…"
                    .to_owned(),
            ),
        }
    }
}
