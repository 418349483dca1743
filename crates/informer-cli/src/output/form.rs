//! The forms that `-o` names.

use std::str::FromStr;

/// How objects are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "table" => Ok(Self::Table),
            "wide" => Ok(Self::Wide),
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Yaml),
            "name" => Ok(Self::Name),
            other => Err(of_kubectl(other, "get")
                .unwrap_or_else(|| "expected table, wide, json, yaml or name".to_owned())),
        }
    }
}

/// Forms that only kubectl has.
const OF_KUBECTL: [&str; 9] = [
    "custom-columns",
    "custom-columns-file",
    "go-template",
    "go-template-file",
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "template",
    "templatefile",
];

/// What to say of a form that only kubectl has, with the arguments of the command that does the same there.
pub(crate) fn of_kubectl(text: &str, command: &str) -> Option<String> {
    kubectl_form(text).map(|form| {
        format!(
            "`kubectl {command} … -o {form}=…` does that; here `informer {command} … --field PATH` shows a field in a \
             column of its own, and -o json has all of them"
        )
    })
}

/// The name of a form that only kubectl has.
pub(crate) fn kubectl_form(text: &str) -> Option<&str> {
    let (form, _) = text.split_once('=').unwrap_or((text, ""));
    OF_KUBECTL.contains(&form).then_some(form)
}

#[cfg(test)]
mod tests;
