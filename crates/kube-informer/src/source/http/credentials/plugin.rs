//! Credential plugins: programs that print a token or a certificate, named by a kubeconfig.

use std::io::{self, IsTerminal as _};
use std::process::{Command, Output, Stdio};

use http::HeaderValue;
use k8s_openapi::jiff::Timestamp;
use kube_client::config::{ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::json;

use super::{CredentialsError, header};

/// So much of what a plugin says when it fails is repeated: its last words.
const QUOTED: usize = 500;

/// No secret is shorter.
const SHORTEST: usize = 4;

/// What a plugin printed.
pub(super) struct Printed {
    pub(super) token: Option<HeaderValue>,
    /// A certificate and its key, in PEM.
    pub(super) identity: Option<(String, String)>,
    pub(super) until: Option<Timestamp>,
}

#[derive(Deserialize)]
struct ExecCredential {
    status: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    expiration_timestamp: Option<String>,
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// What the plugin is called, in quotes.
pub(super) fn name(exec: &ExecConfig) -> String {
    format!("{:?}", exec.command.as_deref().unwrap_or_default())
}

/// Runs a plugin, which blocks.
///
/// With a terminal a plugin may ask there, and says there what is wrong, as with client-go. Without one it has no input, and
/// its last words are in the error.
pub(super) fn run(exec: &ExecConfig) -> Result<Printed, CredentialsError> {
    let name = name(exec);
    let wrong = |what: &str| CredentialsError(format!("the credential plugin {name} {what}"));
    let output = output(exec).map_err(|error| {
        let hint = exec.install_hint.as_deref().map(str::trim).filter(|hint| !hint.is_empty());
        let hint = hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
        wrong(&format!("cannot be run: {error}{hint}"))
    })?;
    if !output.status.success() {
        let said = said(exec, &output.stderr);
        return Err(wrong(&format!("failed: {}{said}", output.status)));
    }
    // Plugins may print YAML; JSON is YAML as well.
    let printed: ExecCredential = serde_saphyr::from_slice(&output.stdout).map_err(|error| {
        let place = error.location().filter(|at| at.line() > 0);
        let place =
            place.map(|at| format!(": line {}, column {}", at.line(), at.column())).unwrap_or_default();
        wrong(&format!("printed what is not an ExecCredential{place}"))
    })?;
    let status = printed.status.ok_or_else(|| wrong("printed an ExecCredential without a status"))?;
    let token = status.token.filter(|token| !token.is_empty());
    let token =
        token.map(|token| header(token.trim(), &format!("the token of the credential plugin {name}")));
    let identity = status.client_certificate_data.zip(status.client_key_data);
    if token.is_none() && identity.is_none() {
        return Err(wrong("printed neither a token nor a certificate with its key"));
    }
    let until = status.expiration_timestamp.map(|time| time.parse());
    let until = until.transpose().map_err(|_| wrong("printed an expirationTimestamp that is no time"))?;
    Ok(Printed { token: token.transpose()?, identity, until })
}

fn output(exec: &ExecConfig) -> io::Result<Output> {
    let nothing = || io::Error::new(io::ErrorKind::InvalidInput, "the kubeconfig names no command");
    let mut command = Command::new(exec.command.as_deref().ok_or_else(nothing)?);
    command.args(exec.args.iter().flatten());
    command.envs(environment(exec));
    let interactive = exec.interactive_mode != Some(ExecInteractiveMode::Never) && io::stdin().is_terminal();
    if interactive {
        command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    } else {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
    }
    let mut spec = json!({ "interactive": interactive });
    if exec.provide_cluster_info {
        spec["cluster"] = serde_json::to_value(&exec.cluster)?;
    }
    let info = json!({ "apiVersion": exec.api_version, "kind": "ExecCredential", "spec": spec });
    command.env("KUBERNETES_EXEC_INFO", info.to_string());
    for variable in exec.drop_env.iter().flatten() {
        command.env_remove(variable);
    }
    command.output()
}

/// The variables that the kubeconfig gives to the plugin.
fn environment(exec: &ExecConfig) -> impl Iterator<Item = (&String, &String)> {
    exec.env.iter().flatten().filter_map(|variable| variable.get("name").zip(variable.get("value")))
}

/// The last words of a plugin, without what the kubeconfig gave it to keep, and without web tokens. A value such as `1` keeps
/// nothing secret, and stands in many words.
fn said(exec: &ExecConfig, stderr: &[u8]) -> String {
    let mut said = String::from_utf8_lossy(stderr).trim().to_owned();
    for (_, value) in environment(exec).filter(|(_, value)| value.len() >= SHORTEST) {
        said = said.replace(value, "…");
    }
    let words = said.split_inclusive(char::is_whitespace);
    let said: String = words.map(|word| if word.contains("eyJ") { "… " } else { word }).collect();
    let skipped = said.chars().count().saturating_sub(QUOTED);
    if said.is_empty() {
        String::new()
    } else {
        format!(": {}", said.chars().skip(skipped).collect::<String>())
    }
}
