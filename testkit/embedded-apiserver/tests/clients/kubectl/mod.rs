//! kubectl commands that write, on both servers: what it says, how it ends, and what is stored after each.

mod cascades;
mod files;
mod stories;

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::support::{Server, both, kubectl, normal_object, normal_text};

/// Commands one after the other, in a namespace of their own.
struct Story {
    name: &'static str,
    /// The commands as in a shell, with single quotes, without `kubectl`. `@web` is the file `web.yaml` of `files.rs`. The
    /// first argument of `edit` is what `sed` does to the file.
    commands: &'static [&'static str],
    /// The paths of the objects that are compared after each command. `{ns}` is the namespace.
    objects: &'static [&'static str],
}

/// Commands that differ, and why. Nothing that `apply`, `patch` and `edit` do is among them.
const DIFFERENCES: &[(&str, &str)] = &[
    ("autoscale ", PROTOBUF),
    ("create configmap ", PROTOBUF),
    ("create secret ", PROTOBUF),
    ("create deployment ", PROTOBUF),
];
const PROTOBUF: &str =
    "kubectl sends what it makes itself as protobuf, which the embedded server does not read: 415";

/// How long a command may take. `edit` opens the editor again and again if it always makes another mistake.
const PATIENCE: Duration = Duration::from_secs(60);

/// The words of a command.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in command.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().expect("a word").push(other),
        }
    }
    words
}

/// Runs a command. Returns how it ended and what it said.
async fn run(server: &Server, namespace: &str, command: &str) -> Result<Value> {
    let mut arguments = words(command);
    let mut process = kubectl(server.dir.path())?;
    if arguments[0] == "edit" {
        let editor = server.dir.path().join("editor.sh");
        let script = format!("#!/bin/sh\nsed -i.bak '{}' \"$1\"\n", arguments.remove(1));
        std::fs::write(&editor, script)?;
        std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755))?;
        process.env("KUBE_EDITOR", editor).env_remove("EDITOR");
    }
    for argument in &mut arguments {
        if let Some(name) = argument.strip_prefix('@') {
            let file = server.dir.path().join(format!("{name}.yaml"));
            let text = files::FILES.iter().find(|(known, _)| *known == name);
            std::fs::write(&file, text.with_context(|| format!("there is no file {name}"))?.1)?;
            *argument = file.display().to_string();
        }
    }
    process.args(["--namespace", namespace]).args(&arguments);
    let mut process = tokio::process::Command::from(process);
    let output = tokio::time::timeout(PATIENCE, process.kill_on_drop(true).output());
    let output = output.await.with_context(|| format!("{}: {command} takes too long", server.name))??;
    let said = |text: &[u8]| normal_text(&String::from_utf8_lossy(text), server.dir.path());
    Ok(
        json!({ "exit": output.status.code(), "stdout": said(&output.stdout), "stderr": said(&output.stderr) }),
    )
}

/// Runs a story on a server: of each command the outcome and the objects.
async fn tell(server: &Server, story: &Story, namespace: &str) -> Result<Vec<Value>> {
    server.make_namespace(namespace).await?;
    let mut told = Vec::new();
    for command in story.commands {
        let mut outcome = run(server, namespace, command).await?;
        if command.starts_with("wait --for=condition=Established") {
            // The real server needs a moment more until kubectl finds the kind.
            let is_known = |_, groups: &Value| groups.to_string().contains("kubectl.example.com");
            server.until("/apis", is_known).await?;
            server.until("/apis/kubectl.example.com/v1/widgets", |status, _| status == 200).await?;
        }
        for path in story.objects {
            let (status, mut object) =
                server.ask("GET", &path.replace("{ns}", namespace), &Value::Null).await?;
            normal_object(&mut object);
            // The real server needs a moment to serve a new kind; until then the answer is another 404.
            outcome[*path] = if status == 404 { json!(status) } else { object };
        }
        told.push(outcome);
    }
    Ok(told)
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_writes_what_it_writes_on_the_real_server() -> Result<()> {
    let test = "kubectl_writes_what_it_writes_on_the_real_server";
    let Some([real, embedded]) = both(test).await? else { return Ok(()) };
    let (mut problems, mut count, mut used) = (String::new(), 0, vec![false; DIFFERENCES.len()]);
    let only = std::env::var("KUBECTL_STORY").unwrap_or_default();
    for (number, story) in stories::STORIES.iter().enumerate().filter(|(_, story)| story.name.contains(&only))
    {
        let namespace = format!("story-{number}");
        let (real, embedded) =
            tokio::try_join!(tell(&real, story, &namespace), tell(&embedded, story, &namespace))?;
        for (command, (real, embedded)) in story.commands.iter().zip(real.into_iter().zip(embedded)) {
            count += 1;
            if let Some(place) = DIFFERENCES.iter().position(|(known, _)| command.starts_with(known)) {
                used[place] |= real != embedded;
            } else {
                for part in
                    real.as_object().context("parts")?.keys().filter(|part| real[*part] != embedded[*part])
                {
                    let (real, embedded) = (&real[part], &embedded[part]);
                    writeln!(
                        problems,
                        "{}: {command}: {part}\n  real     {real}\n  embedded {embedded}",
                        story.name
                    )?;
                }
            }
        }
    }
    for ((known, _), _) in DIFFERENCES.iter().zip(used).filter(|(_, used)| !used && only.is_empty()) {
        writeln!(problems, "`{known}` no longer differs")?;
    }
    println!("{count} commands compared");
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}
