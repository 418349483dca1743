//! `informer get`: objects from a synced cache.

pub(crate) mod age;
pub(crate) mod columns;
mod follow;

use kube_client::api::DynamicObject;
use kube_informer::Object;

use crate::args::GetArgs;
use crate::cluster::{Cluster, Without};
use crate::ending::within;
use crate::failure::{Failure, unless_nobody_reads};
use crate::kinds::{Selected, reading, select, sync};
use crate::output::{Look, Printer};
use crate::refusal::Refusal;
use crate::screen::Screen;
use crate::targets;
use crate::watch::troubles::Troubles;

pub(crate) async fn run(args: &GetArgs) -> Result<(), Failure> {
    args.check().map_err(Failure::usage)?;
    let targets = targets::of_get(&args.targets).map_err(Failure::usage)?;
    let cluster = Cluster::find(&args.cluster, Without::Fails).await?;
    let screen = Screen::new();
    let is_followed = args.watch || args.watch_only;
    // What goes wrong is told as it happens to whoever goes on; otherwise it is the answer.
    let troubles = Troubles::new(&screen);
    let (factory, refusal) = if is_followed {
        (follow::factory(&cluster, &args.objects, &troubles)?, Refusal::default())
    } else {
        reading(&cluster, &args.objects)?
    };
    let selected = within(Some(args.timeout), &cluster, select(&factory, &targets, &args.objects)).await?;
    let mut kinds: Vec<_> = selected.iter().map(|it| it.informer.kind().clone()).collect();
    kinds.dedup();
    let look = Look {
        headers: !args.no_headers,
        namespaces: cluster.namespaces(&args.objects).is_none_or(|several| several.len() > 1),
        kinds: kinds.len() > 1,
        field_columns: args.field_columns.clone(),
        label_columns: args.label_columns.clone(),
        labels: args.show_labels,
    };
    let mut printer = Printer::new(args.output, look);
    if is_followed {
        return follow::follow(args, &factory, &troubles, selected, printer, &screen).await;
    }
    sync(&factory, &refusal, args.timeout).await?;
    let (objects, missing) = found(&selected);
    factory.shutdown().await;
    // Exactly one object was asked for by its name.
    let is_one = matches!(targets.as_slice(), [target] if target.names.len() == 1);
    match (objects.is_empty(), missing.is_empty()) {
        (true, false) => {}
        (true, true) if printer.is_table() => {
            let kinds = kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            match cluster.namespaces(&args.objects) {
                Some(_) if selected.iter().any(|it| it.informer.kind().is_namespaced() != Some(false)) => {
                    let place = cluster.place(&args.objects);
                    screen.note(&format!("no {kinds} in {place} (-A for all namespaces)"));
                }
                _ => screen.note(&format!("no {kinds} found")),
            }
        }
        _ => unless_nobody_reads(screen.text(&printer.all(&objects, is_one)?))?,
    }
    if missing.is_empty() { Ok(()) } else { Err(Failure::negative(missing.join("; "))) }
}

/// The objects, kind by kind, and what is to be said of those that are not there.
fn found(selected: &[Selected]) -> (Vec<Object<DynamicObject>>, Vec<String>) {
    let (mut objects, mut missing) = (Vec::new(), Vec::new());
    for selected in selected {
        let of_kind = selected.objects();
        for name in &selected.names {
            if !of_kind.iter().any(|object| object.name() == name) {
                missing.push(format!("{} {name:?} not found", selected.informer.kind()));
            }
        }
        objects.extend(of_kind);
    }
    (objects, missing)
}
