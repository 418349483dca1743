//! `informer diff --endpoint`: compares the caches of a running program with the server.
//!
//! The program tells keys, uids, versions and digests of its objects (`Endpoint::digests`), never contents.

use std::collections::BTreeMap;
use std::time::Duration;

use informer_endpoint::digest;
use kube_informer::kind::KindInfo;
use serde_json::{Value, json};

use crate::args::{DiffArgs, Lines, ObjectArgs};
use crate::cluster::{Cluster, Without};
use crate::failure::{Failure, unless_nobody_reads};
use crate::kinds::{reading, unknown};
use crate::listing::Listing;
use crate::plain::{plain, plain_json};
use crate::program::Program;
use crate::screen::Screen;

/// A difference counts if it is the same in so many looks one after the other. What is under way changes meanwhile.
const LOOKS: usize = 4;

/// The time between two looks.
const BETWEEN: Duration = Duration::from_secs(1);

/// Objects per page of the server's list.
const PAGE: u32 = 500;

/// What is known of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    uid: String,
    version: String,
    digest: Option<String>,
}

/// By key.
type Objects = BTreeMap<String, Seen>;

/// What the program and the server have under a key, where that is not the same.
type Differences = BTreeMap<String, (Option<Seen>, Option<Seen>)>;

pub(super) async fn run(args: &DiffArgs, url: &str) -> Result<(), Failure> {
    let program = Program::new(url)?;
    let cluster = Cluster::find(&args.cluster, Without::Fails).await?;
    let (factory, _) = reading(&cluster, &args.objects)?;
    let mut kinds = Vec::new();
    for name in &args.kinds {
        kinds.push(factory.resolve(name).await.map_err(unknown)?);
    }
    let screen = Screen::new();
    let (mut compared, mut drifted) = (0, Vec::new());
    for informer in informers(&program).await? {
        let text = |field: &str| informer[field].as_str().unwrap_or_default().to_owned();
        let is_wanted = |kind: &KindInfo| kind.group() == text("group") && kind.kind() == text("kind");
        if !kinds.is_empty() && !kinds.iter().any(is_wanted) {
            continue;
        }
        compared += 1;
        let name = text("name");
        if informer["synced"] != true || informer["stopped"] == true {
            return Err(Failure::cluster(format!(
                "{name} of the program has not synced or has stopped: there is nothing to compare"
            )));
        }
        let kind = KindInfo::new(text("group"), text("version"), text("kind"), text("plural"));
        let namespaces: Option<Vec<String>> = informer["namespaces"]
            .as_array()
            .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect());
        let objects = ObjectArgs {
            all_namespaces: namespaces.is_none(),
            namespaces: namespaces.unwrap_or_default(),
            ..args.objects.clone()
        };
        let listings = Listing::all(&cluster, &kind, &objects)?;
        let with_digests = informer["digests"] == true;
        let (count, lasting, passing) =
            settled(&program, &name, &listings, with_digests, args.timeout).await?;
        let why = informer["noDigestsBecause"].as_str();
        let report =
            Report { name: &name, kind: &kind, count, lasting: &lasting, passing, only_versions: why };
        unless_nobody_reads(match args.output {
            Lines::Json => screen.text(&plain_json(&format!("{}\n", report.json()))),
            Lines::Text => screen.text(&report.text()),
        })?;
        if !lasting.is_empty() {
            drifted.push(format!("{name}: {} objects differ, of {count} on the server", lasting.len()));
        }
    }
    match (compared, drifted.is_empty()) {
        (0, _) => Err(Failure::usage("the program has no informer of these kinds that it tells of")),
        (_, true) => Ok(()),
        (_, false) => Err(Failure::negative(drifted.join("; "))),
    }
}

/// The number of objects on the server, the differences that last, and how many were there only for a moment.
async fn settled(
    program: &Program,
    name: &str,
    listings: &[Listing],
    with_digests: bool,
    timeout: Duration,
) -> Result<(usize, Differences, usize), Failure> {
    let mut lasting: Option<Differences> = None;
    let mut ever = std::collections::BTreeSet::new();
    let mut looks = 0;
    loop {
        let both = async { Ok::<_, Failure>((objects(program, name).await?, listed(listings).await?)) };
        let late =
            |_| Failure::cluster(format!("{name}: program and server did not answer within {timeout:?}"));
        let (cached, on_server) = tokio::time::timeout(timeout, both).await.map_err(late)??;
        let mut found = differences(&cached, &on_server, with_digests);
        ever.extend(found.keys().cloned());
        if let Some(before) = &lasting {
            found.retain(|key, both| before.get(key) == Some(both));
        }
        looks += 1;
        if found.is_empty() || looks == LOOKS {
            let passing = ever.len() - found.len();
            return Ok((on_server.len(), found, passing));
        }
        lasting = Some(found);
        tokio::time::sleep(BETWEEN).await;
    }
}

fn differences(cached: &Objects, on_server: &Objects, with_digests: bool) -> Differences {
    let same = |a: &Seen, b: &Seen| {
        a.uid == b.uid && a.version == b.version && (!with_digests || a.digest == b.digest)
    };
    let mut found = Differences::new();
    for (key, there) in on_server {
        let here = cached.get(key);
        if !here.is_some_and(|here| same(here, there)) {
            found.insert(key.clone(), (here.cloned(), Some(there.clone())));
        }
    }
    for (key, here) in cached.iter().filter(|(key, _)| !on_server.contains_key(*key)) {
        found.insert(key.clone(), (Some(here.clone()), None));
    }
    found
}

/// What the server has.
async fn listed(listings: &[Listing]) -> Result<Objects, Failure> {
    let mut objects = Objects::new();
    for listing in listings {
        let mut token = None;
        loop {
            let page = listing.page(PAGE, token).await?;
            for raw in page.items {
                let item: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                let text = |field: &str| item["metadata"][field].as_str().unwrap_or_default().to_owned();
                let key = match text("namespace") {
                    none if none.is_empty() => text("name"),
                    namespace => format!("{namespace}/{}", text("name")),
                };
                // As the program does it, from what came: a fraction that is written and read again may be another one.
                let digest = digest(raw.get().as_bytes());
                objects.insert(key, Seen { uid: text("uid"), version: text("resourceVersion"), digest });
            }
            token = page.next;
            if token.is_none() {
                break;
            }
        }
    }
    Ok(objects)
}

/// The informers that a program tells the digests of.
async fn informers(program: &Program) -> Result<Vec<Value>, Failure> {
    let mut index = get(program, "").await?;
    match index.get_mut("informers").map(Value::take) {
        Some(Value::Array(informers)) => Ok(informers),
        _ => Err(Failure::cluster(program.is_something_else())),
    }
}

/// All objects of an informer of the program, page by page.
async fn objects(program: &Program, name: &str) -> Result<Objects, Failure> {
    let (mut objects, mut after) = (Objects::new(), String::new());
    loop {
        let page = get(program, &format!("/{}/{}", encoded(name), encoded(&after))).await?;
        for item in page["items"].as_array().into_iter().flatten() {
            let text = |field: &str| item[field].as_str().map(str::to_owned);
            let (Some(key), Some(uid), Some(version)) = (text("key"), text("uid"), text("resourceVersion"))
            else {
                return Err(Failure::cluster(format!("{} tells of an object without a key", program.url())));
            };
            objects.insert(key, Seen { uid, version, digest: text("digest") });
        }
        match page["next"].as_str() {
            Some(next) if next > after.as_str() => after = next.to_owned(),
            _ => return Ok(objects),
        }
    }
}

async fn get(program: &Program, rest: &str) -> Result<Value, Failure> {
    let asked = program.get(&format!("/debug/digests{rest}")).await;
    asked.map_err(|why| {
        Failure::cluster(format!(
            "{why}; the program serves it if it calls Endpoint::digests, and `informer watch \
             --listen` does on a loopback address or with --digests"
        ))
    })
}

/// Percent-encodes a part of a path.
fn encoded(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// What is said of one informer.
struct Report<'a> {
    name: &'a str,
    kind: &'a KindInfo,
    count: usize,
    lasting: &'a Differences,
    /// Objects that differed only for a moment.
    passing: usize,
    /// Why contents could not be compared.
    only_versions: Option<&'a str>,
}

impl Report<'_> {
    fn text(&self) -> String {
        let mut lines: Vec<_> =
            self.lasting.iter().map(|(key, both)| format!("{key}: {}", told(both))).collect();
        if lines.is_empty() {
            lines
                .push(format!("{}: the program and the server are equal, {} objects", self.name, self.count));
        }
        if let Some(why) = self.only_versions {
            lines.push(format!("{}: only versions were compared, because {why}", self.name));
        }
        lines.iter().map(|line| plain(line).into_owned() + "\n").collect()
    }

    fn json(&self) -> Value {
        let differences: Vec<_> = self.lasting.iter().map(|(key, both)| {
            let (program, server) = both;
            let version = |seen: &Option<Seen>| seen.as_ref().map(|seen| seen.version.clone());
            json!({ "key": key, "drift": sort(both), "program": version(program), "server": version(server) })
        }).collect();
        json!({
            "informer": self.name,
            "kind": self.kind.kind(),
            "apiVersion": self.kind.api_version(),
            "equal": self.lasting.is_empty(),
            "objects": self.count,
            "comparedBy": if self.only_versions.is_some() { "version" } else { "digest" },
            "different": differences,
            "differedForAMoment": self.passing,
        })
    }
}

fn sort(both: &(Option<Seen>, Option<Seen>)) -> &'static str {
    match both {
        (None, _) => "missing",
        (_, None) => "extra",
        (Some(here), Some(there)) if here.uid != there.uid => "uid",
        (Some(here), Some(there)) if here.version != there.version => "version",
        _ => "content",
    }
}

fn told(both: &(Option<Seen>, Option<Seen>)) -> String {
    let version = |seen: &Option<Seen>| seen.as_ref().map(|seen| seen.version.clone()).unwrap_or_default();
    let (here, there) = (version(&both.0), version(&both.1));
    match sort(both) {
        "missing" => format!("not in the program; the server has version {there}"),
        "extra" => format!("not on the server; the program has version {here}"),
        "uid" => "another object with the same name".to_owned(),
        "version" => format!("version {here} in the program, {there} on the server"),
        _ => format!("version {here} in both, with another content"),
    }
}

#[cfg(test)]
mod tests;
