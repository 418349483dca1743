//! A Kubernetes API server inside the process: it speaks the same wire protocol as kube-apiserver, and can be made to
//! fail in every way that a real one does.
//!
//! It is for tests of controllers, operators and anything else that lists and watches. It starts in milliseconds, needs no
//! container and no binary, and has what mocks lack: one order of writes, versions that conflict and expire, watches that
//! resume, bookmarks, pages, selectors, finalizers, CustomResourceDefinitions.
//!
//! # A controller, tested end to end
//!
//! The controller in this example copies a value from the labels of a ConfigMap to its data. Its first watch is cut in the
//! middle of an event, and it has to recover from that.
//!
//! ```
//! use embedded_apiserver::{EmbeddedApiserver, ServerFault};
//! use futures::TryStreamExt;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_client::api::{Api, Patch, WatchEvent, WatchParams};
//! use serde_json::json;
//!
//! async fn controller(maps: Api<ConfigMap>) {
//!     loop {
//!         let Ok(events) = maps.watch(&WatchParams::default(), "0").await else { continue };
//!         let _ = events.try_for_each(async |event| {
//!             let (WatchEvent::Added(map) | WatchEvent::Modified(map)) = event else { return Ok(()) };
//!             let (Some(name), Some(labels)) = (map.metadata.name, map.metadata.labels) else { return Ok(()) };
//!             let patch = Patch::Merge(json!({"data": {"tier": labels["tier"]}}));
//!             maps.patch(&name, &Default::default(), &patch).await.map(|_| ())
//!         }).await;
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = EmbeddedApiserver::new();
//! let fault = server.inject(ServerFault::cut_after(0).resource("configmaps").once());
//! let running = tokio::spawn(controller(Api::default_namespaced(server.client())));
//! server.create(&serde_json::from_value::<ConfigMap>(
//!     json!({"metadata": {"name": "a", "labels": {"tier": "front"}}}))?).await?;
//! server.journal().until(1, |request| request.name == "a" && request.status == Some(200)).await;
//! let map = Api::<ConfigMap>::default_namespaced(server.quiet_client()).get("a").await?;
//! assert_eq!(map.data.unwrap()["tier"], "front");
//! assert_eq!(fault.struck(), 1);
//! # running.abort();
//! # Ok(())
//! # }
//! ```
//!
//! # Ways in
//!
//! - [`EmbeddedApiserver::client`] is a [`kube_client::Client`] without sockets. Under tokio's paused time an hour
//!   of bookmarks and time-outs passes in an instant.
//! - [`EmbeddedApiserver::quiet_client`] and [`EmbeddedApiserver::create`] are for the set-up: faults do not affect
//!   their requests, and the journal does not record them.
//! - [`EmbeddedApiserver::listen`] serves HTTP/1.1 on a free port of the loopback address, for other processes: kubectl,
//!   programs in Go. The [`TcpServer`] writes a kubeconfig. It ends when it is stopped or dropped.
//!
//! # What goes wrong
//!
//! A [`ServerFault`] says what goes wrong, for which requests and how often. It works the same in process and over TCP. With
//! [`compact`](EmbeddedApiserver::compact) and [`rewind`](EmbeddedApiserver::rewind) history is forgotten, or writes are undone.
//!
//! | on the wire | fault |
//! |---|---|
//! | 410 as status, on the next page, as event | [`expired`](ServerFault::expired), [`expired_continue`](ServerFault::expired_continue), [`expired_event`](ServerFault::expired_event) |
//! | 429 as Status, as plain text | [`too_many_requests`](ServerFault::too_many_requests), [`overloaded`](ServerFault::overloaded) |
//! | 401, 403, 500, 503, any other | [`unauthorized`](ServerFault::unauthorized), [`forbidden`](ServerFault::forbidden), [`status`](ServerFault::status) |
//! | no answer, a connection that is cut | [`refuse`](ServerFault::refuse), [`cut_after`](ServerFault::cut_after), [`cut_after_bytes`](ServerFault::cut_after_bytes) |
//! | a watch that ends | [`close`](ServerFault::close), [`close_after`](ServerFault::close_after) |
//! | silence, slowness | [`stall`](ServerFault::stall), [`stall_after`](ServerFault::stall_after), [`delay`](ServerFault::delay) |
//! | initial events without their closing bookmark, or none at all | [`drop_end_bookmark`](ServerFault::drop_end_bookmark), [`ignore_send_initial_events`](ServerFault::ignore_send_initial_events) |
//! | events that are duplicated, reordered, lost | [`duplicate_event`](ServerFault::duplicate_event), [`reorder_event`](ServerFault::reorder_event), [`lose_event`](ServerFault::lose_event) |
//! | objects and JSON that a client cannot decode | [`undecodable_object`](ServerFault::undecodable_object), [`bad_json`](ServerFault::bad_json) |
//! | a restored backup | [`rewind`](ServerFault::rewind) |
//!
//! The [`Journal`] records every request, and lets a test wait for one.
//!
//! # Memory
//!
//! Everything is in memory and gone with the server: nothing is written to a disk, and there is no etcd. A server begins
//! at resourceVersion 1, unless the [`Builder`](Builder::first_version) says otherwise; `informer serve` begins at
//! microseconds since 1970, so that a client that outlives a restart is told at once that its version is gone.
//!
//! Everything that grows is bounded, except for the objects themselves:
//!
//! - Per resource, the recent changes: at most 102,400 of them and 256 MiB
//!   ([`history_events`](Builder::history_events), [`history_bytes`](Builder::history_bytes)). The number of
//!   objects is not limited.
//! - A watch holds a position in those changes and a batch of at most 64 of them. A list holds references to its objects
//!   until it is sent; its JSON is written piece by piece and is never in memory as a whole.
//! - The journal: 8 MiB.
//! - The garbage collector, if it runs: of each object the owners and finalizers.
//! - A connection: about 64 KiB each way, 8,192 connections. The body of a request: 3 MiB; a larger one is
//!   answered with 413.
//! - A client that sends nothing for 30 s, needs more than 60 s for a body, or reads nothing for 30 s is disconnected.
//!
//! # Differences from kube-apiserver
//!
//! On the wire:
//!
//! - JSON only: no YAML, CBOR, Table; no gzip. A client that prefers protobuf but accepts JSON gets JSON. A body in
//!   protobuf is refused with 415, and so is YAML but for apply patches, so kubectl's generators fail (`create configmap x --from-literal`), while
//!   `create -f` works.
//! - HTTP/1.1 without TLS; no HTTP/2, no WebSocket, so no `exec`, `attach`, `port-forward` and no logs. A watch over a
//!   WebSocket is answered with 503, after which clients ask without.
//! - Users are known by their tokens; there are no access rules, and reviews of access say that everything is allowed.
//!   [`ServerFault::forbidden`] denies requests of a test's choice, and reviews know nothing of it. If tokens are set, requests
//!   without one are answered with 401, except for health and version.
//! - Discovery is plain, not aggregated, and lists the kinds of Kubernetes 1.33 to 1.37. OpenAPI is that of 1.36, version 3
//!   only and in JSON only; operations have no descriptions, and those of custom resources have only the parameters that kubectl
//!   looks for.
//!
//! With objects:
//!
//! - Objects of built-in kinds are read by the types of Kubernetes 1.36: unknown fields are dropped, with a warning or an error
//!   as `fieldValidation` says, and values of a wrong type are refused. They have the defaults of Kubernetes, but their values
//!   are not validated. Kinds that only other releases have are stored as they are sent, except for their metadata.
//! - Objects that a [`Simulation`] stores at its beginning have neither defaults nor managers.
//! - These defaults are missing: `timeAdded` of device taints, and what pods request as a whole if their containers request
//!   something. Quantities below a thousandth are not rounded up.
//! - The QoS class of a pod is that of its containers, whatever resources it has as a whole.
//! - Of admission there is only what it adds to pods: a priority (0, unless there is a class) and tolerations. No finalizers of
//!   volumes and claims, no taint of new nodes, because there is no controller to remove them; no webhooks. Services get no
//!   addresses (`clusterIP`, `clusterIPs`, `ipFamilies`, `ipFamilyPolicy`) and no ports of nodes.
//! - Custom resources are pruned, defaulted and validated by the schemas of their CustomResourceDefinitions, and stored ones are
//!   read with the schema of the day. [Rules](#rules) are evaluated with the feature `cel`. The formats `email` and `uri` are
//!   checked by their shape. Of the metadata of an embedded resource only types, name and labels are checked. Several causes of
//!   one error have a fixed order; in the real server it changes from one answer to the next. A definition that uses an unknown
//!   format or a deprecated version brings no warning, and printer columns are checked but not shown, because there is no Table.
//!   Where the real server shows a schema in the words of Go, this one shows JSON.
//!   Messages show very large floats otherwise than Go does.
//! - Messages about values of a wrong type say `string` where the real server names a string type of Go, such as
//!   `v1.PullPolicy`, and leave out structs that Go embeds: `spec.volumes.emptyDir`, not
//!   `spec.volumes.VolumeSource.emptyDir`. A field that occurs
//!   twice has its last value; the real server merges the values if they are objects.
//! - A strategic merge patch that replaces the `data` of a Secret by an empty value changes the owner of that value on the real
//!   server, even if it was empty before.
//! - Nobody owns an empty list where the real server writes `null` for it (`rules` of a Role), nor what the server itself sets in
//!   the status of CustomResourceDefinitions. The causes of a conflict are in
//!   order; those of the real server are not. YAML is that of 1.2 (`yes` is text), and messages about YAML that cannot be
//!   read are others. What is in `fieldsV1` comes in the order of its text.
//! - The versions of a kind are stored and served without conversion: they differ in `apiVersion`, and in what
//!   their schemas leave of an object. Events are an exception: `v1` and `events.k8s.io/v1` show the same objects, each in its form.
//! - Of the rules of built-in kinds there are only these: metadata, keys and sizes of ConfigMaps and Secrets, `immutable`,
//!   the type of Secrets, replicas and selectors of workloads and what else cannot change in a StatefulSet. There are no
//!   warnings about values, such as ports that two containers have. LimitRanges, ResourceQuotas and PodDisruptionBudgets are
//!   stored and have no effect.
//! - Of several fields in an apply patch that a schema does not have, the first is named; the real server names any.
//! - A deleted CustomResourceDefinition is removed at once with its objects, but for objects with finalizers, which it waits
//!   for. It does not wait for a controller to come by.
//! - The answer to a dry run of a create has the resourceVersion that was sent only if that is a number above 0. An eviction whose
//!   options are refused with 422 has not told the pod of it.
//! - A cause in a Status is listed once. The real server checks the metadata of an update two to four times, and lists what
//!   it finds each time.
//! - A JSON patch that makes the real server break the connection (`replace` of everything without a value, `test` of a list
//!   with null in it) is refused.
//! - No scheduler and no kubelet: a pod with a node stays terminating until it is deleted with a grace period of 0. A
//!   [`Simulation`] does their work for a workload of its own. Two [controllers](#controllers) can be switched on.
//!
//! What is missing is answered with 501, and the message says what it is:
//!
//! | request | instead |
//! |---|---|
//! | server-side apply, if [`managed_fields`](Builder::managed_fields) are switched off | a merge patch, a JSON patch or an update |
//! | `TokenReview`, tokens of service accounts | – |
//! | `exec`, `attach`, `portforward`, `log`, `proxy` of pods, services and nodes | – |
//! | `ephemeralcontainers` and `resize` of pods | a [`Simulation`] changes its own pods |
//! | `POST` of a `Binding` to the collection | the subresource `binding` of the pod |
//! | a CustomResourceDefinition whose versions a webhook converts | the strategy `None` |
//! | a CustomResourceDefinition with a regular expression that only Go can compile, because it is very large | – |
//! | a CustomResourceDefinition with rules, without the feature `cel`, or with rules that need what is [missing](#rules) | – |
//!
//! In time:
//!
//! - [`compact`](EmbeddedApiserver::compact) affects all resources. In the real server each watch cache and etcd
//!   forget old versions separately.
//! - A fault sees requests, so it cannot refuse a TCP connection: [`ServerFault::refuse`] closes the connection without an
//!   answer. To have connections refused, stop the [`TcpServer`] and [listen](EmbeddedApiserver::listen_on) on its address again later.
//!
//! # Rules
//!
//! With the cargo feature `cel` the rules of CustomResourceDefinitions (`x-kubernetes-validations`) are evaluated by
//! [kube-cel](https://docs.rs/kube-cel), with `oldSelf`, `messageExpression`, `reason`, `fieldPath` and ratcheting. A definition is
//! refused when it is written if a rule is wrong, or if it needs what is missing; objects are not refused for that later. The
//! feature is off by default, because it takes a minute to compile. `informer serve` has it if informer-cli is built with its
//! feature of that name.
//!
//! - A rule that cannot be parsed, names a field that the schema does not have, or applies a function to wrong types is refused
//!   with 422. The message has other words than that of the real server and does not show the place in the rule.
//! - What is missing is answered with 501 and named: times, durations and bytes, and so fields with the formats `date`,
//!   `date-time`, `duration` and `byte`; unsigned integers; comparison and union of lists that are sets or maps; optional
//!   fields (`self.?x`) and all functions of optional values but `hasValue`, `value` and `orValue`; comprehensions with two
//!   variables; `sortBy`, `distinct`, `reverse`, `slice`, `flatten` and other functions of lists; `format`, named formats
//!   (`format.dns1123Label()`), `strings.quote`; methods of addresses, URLs and versions.
//! - There are no limits of cost. The real server refuses rules whose cost it estimates as too high. Rules of more than 200 operators
//!   are answered with 501.
//! - A field of a value that is null is `false` where the real server has an error. Quantities of more than 20 digits are errors.
//!   Where `all` and `exists` are more than three deep in one another, an error in one item is not made up for by another.
//! - Errors while a rule is evaluated have the words of the real server if a key is missing, an index is out of bounds, a number
//!   is divided by zero or overflows, or types do not match.
//!
//! # Controllers
//!
//! Two controllers of kube-controller-manager can be [switched on](Builder::controllers). There are no others.
//!
//! | | [`BuiltinController::GarbageCollector`] | [`BuiltinController::Namespace`] |
//! |---|---|---|
//! | off | owners have no effect, nor has a `propagationPolicy` (as with `--enable-garbage-collector=false`) | a deleted namespace is emptied and removed at once |
//! | on | dependents follow their owner, in the background or the foreground, or are orphaned | a deleted namespace is emptied after a while, pods first; its conditions say what remains |
//!
//! Where they differ from the real ones:
//!
//! - They read the changes of objects in their order and lose none. What the server refuses they try again after a second, the
//!   real ones after growing waits. The real ones also look at a namespace at intervals, and take up to 30 s to notice a new kind.
//! - They make one write after the other, and objects with the same owner are deleted in the order of their kinds and names. The
//!   real garbage collector has twenty workers.
//! - To remove owners they send merge patches, the real garbage collector strategic ones. The objects come out the same.
//! - Their writes are in the [`Journal`], but faults do not affect them.
//! - The conditions `NamespaceDeletionDiscoveryFailure` and `…GroupVersionParsingFailure` are always false: discovery does not
//!   fail here.

mod api;
mod body;
mod builder;
mod chance;
mod clock;
mod controllers;
mod defaults;
mod discovery;
mod faults;
mod front;
mod go;
mod journal;
mod kinds;
mod kubeconfig;
mod managed;
mod openapi;
mod options;
mod read;
mod request;
mod schema;
mod select;
mod server;
mod simulation;
mod status;
mod storage;
#[cfg(test)]
mod testing;
mod transport;
mod write;

pub use builder::Builder;
pub use controllers::BuiltinController;
pub use faults::{InjectedServerFault, ServerFault};
pub use journal::{Journal, RecordedRequest};
pub use request::Verb;
pub use server::{EmbeddedApiserver, RewindError};
pub use simulation::{RunningSimulation, Simulation};
pub use transport::{AnswerBody, InMemory, TcpServer};
