//! The proxy that records and the server that replays, over TCP on loopback, with a client that knows of neither.

#[path = "../replay/support/unpacked.rs"]
mod unpacked;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use embedded_apiserver::{EmbeddedApiserver, ServerFault, TcpServer, Verb};
use futures::TryStreamExt as _;
use informer_recording::{LocalServer, Recorder, Recording, RecordingProxy, ReplayServer, Speed};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::api::{ObjectMeta, PostParams, WatchEvent, WatchParams};
use kube_client::{Api, Client, Config};
use kube_informer::source::HttpSource;
use kube_informer::{Kind as _, SharedInformer, SharedInformerFactory};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};

use self::unpacked::unpacked;

fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().expect("an address")
}

fn client(listening: &LocalServer) -> Client {
    let url = format!("http://{}", listening.address()).parse().expect("a URL");
    Client::try_from(Config::new(url)).expect("a client")
}

fn map(name: &str, text: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, data: Some([("text".into(), text.into())].into()), ..ConfigMap::default() }
}

/// A server, a proxy before it, and where that writes.
struct Rig {
    server: EmbeddedApiserver,
    _endpoint: TcpServer,
    recorder: Recorder,
    proxy: LocalServer,
    directory: TempDir,
}

impl Rig {
    async fn start() -> Self {
        let server = EmbeddedApiserver::new();
        let directory = tempfile::tempdir().expect("a directory");
        let recorder = Recorder::create(directory.path().join("a.recording")).expect("a file");
        // Over TCP, so that answers have a length in their heads, as those of real servers.
        let endpoint = server.listen().await.expect("a port");
        let client = Config::new(endpoint.url().parse().expect("a URL"));
        let proxy = RecordingProxy::new(Client::try_from(client).expect("a client"), recorder.clone());
        let proxy = proxy.listen(loopback()).await.expect("a port");
        Self { server, _endpoint: endpoint, recorder, proxy, directory }
    }

    fn recording(&self) -> Recording {
        self.recorder.finish().expect("it is written");
        Recording::open(self.directory.path().join("a.recording")).expect("a recording").speed(Speed::Fastest)
    }

    /// Everything that is in the file, unpacked.
    fn text(&self) -> String {
        self.recorder.finish().expect("it is written");
        let file = std::fs::read(self.directory.path().join("a.recording")).expect("the file");
        unpacked(&file)
    }
}

/// Sends a request as it stands; the whole answer.
async fn raw(address: SocketAddr, request: String) -> String {
    let ask = move || {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    tokio::task::spawn_blocking(ask).await.expect("it is awaited")
}

fn without_fields(metadata: ObjectMeta) -> ObjectMeta {
    ObjectMeta { managed_fields: None, ..metadata }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_sees_through_the_proxy_it_sees_again_from_the_recording() {
    let rig = Rig::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(client(&rig.proxy), "default");
    for name in ["a", "b"] {
        maps.create(&PostParams::default(), &map(name, "1")).await.expect("it is created");
    }
    let mut listed = maps.list(&Default::default()).await.expect("a list");
    // All but these, which have values as names of fields.
    let fields = listed.items.iter_mut().map(|map| map.metadata.managed_fields.replace(Vec::new()));
    assert!(fields.flatten().flatten().count() > 0, "there was something to leave out");
    let version = listed.metadata.resource_version.clone().expect("a version");
    maps.delete("a", &Default::default()).await.expect("it is deleted");
    rig.server.inject(ServerFault::cut_after(1).on(Verb::Watch).once());
    maps.create(&PostParams::default(), &map("c", "1")).await.expect("it is created");
    let watch = async |maps: &Api<ConfigMap>| -> Vec<String> {
        let watch = maps.watch(&WatchParams::default().timeout(20), &version).await.expect("a watch");
        let events: Result<Vec<_>, _> = watch
            .map_ok(|event| match event {
                WatchEvent::Deleted(map) => format!("deleted {:?}", without_fields(map.metadata)),
                WatchEvent::Added(map) => format!("added {:?}", without_fields(map.metadata)),
                other => format!("{other:?}"),
            })
            .try_collect()
            .await;
        vec![format!("{:?}", events.map_err(|_| "cut"))]
    };
    let watched = watch(&maps).await;
    let missing = maps.get("none").await.unwrap_err().to_string();

    let recording = rig.recording();
    let server = ReplayServer::new(recording).listen(loopback()).await.expect("a port");
    let maps: Api<ConfigMap> = Api::namespaced(client(&server), "default");
    assert_eq!(maps.list(&Default::default()).await.expect("a list").items, listed.items);
    // Asked for again it is what became of that, as far as it was seen, and nothing has to be waited for.
    assert_eq!(maps.list(&Default::default()).await.expect("a list").items, listed.items[1..]);
    assert_eq!(watch(&maps).await, watched);
    assert_eq!(maps.get("none").await.unwrap_err().to_string(), missing);
    let unknown = maps.get("unknown").await.unwrap_err().to_string();
    assert!(unknown.contains("configmaps \"unknown\" not found"), "{unknown}");
    let secrets: Api<Secret> = Api::namespaced(client(&server), "default");
    let unknown = secrets.list(&Default::default()).await.unwrap_err().to_string();
    assert!(
        unknown.contains("the recording has no answer to GET /api/v1/namespaces/default/secrets"),
        "{unknown}"
    );
    let refused = maps.delete("b", &Default::default()).await.unwrap_err().to_string();
    assert!(refused.contains("this is a recording"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_see_secrets_and_the_file_has_none() {
    let rig = Rig::start().await;
    let secrets: Api<Secret> = Api::namespaced(client(&rig.proxy), "default");
    let metadata = map("a", "").metadata;
    let string_data = Some([("password".to_owned(), "hushhush".to_owned())].into());
    let secret = Secret { metadata, string_data, ..Secret::default() };
    secrets.create(&PostParams::default(), &secret).await.expect("it is created");
    let listed = secrets.list(&Default::default()).await.expect("a list");
    let value = listed.items[0].data.as_ref().and_then(|data| data.get("password")).expect("a value");
    assert_eq!(value.0, b"hushhush");
    let single = secrets.get("a").await.expect("the Secret");
    assert_eq!(single.data, listed.items[0].data);
    let address = rig.proxy.address();
    let answer = raw(
        address,
        format!("GET /api/v1/secrets?token=hush1 HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer hush2\r\nCookie: hush3\r\nConnection: close\r\n\r\n"),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("aHVzaGh1c2g="), "{answer}");
    let text = rig.text();
    assert!(!text.contains("hush") && !text.contains("aHVza"), "{text}");
    assert!(text.contains("\"method\":\"POST\"") && text.contains("token=xxxxxxxx"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn informers_replay_what_another_client_listed_and_watched() {
    let rig = Rig::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(client(&rig.proxy), "default");
    maps.create(&PostParams::default(), &map("a", "1")).await.expect("it is created");
    let version = maps.list(&Default::default()).await.expect("a list").metadata.resource_version;
    let watch = maps.watch(&WatchParams::default(), &version.expect("a version")).await.expect("a watch");
    maps.create(&PostParams::default(), &map("b", "2")).await.expect("it is created");
    let mut watch = Box::pin(watch);
    watch.try_next().await.expect("an event").expect("an event");
    let recording = rig.recording();
    let kinds = recording.kinds();
    assert_eq!(
        (kinds.len(), kinds[0].kind.kind(), &kinds[0].namespaces[..]),
        (1, "ConfigMap", &["default".to_owned()][..])
    );
    let informer = SharedInformer::<ConfigMap>::builder(recording.clone())
        .namespace("default")
        .build()
        .expect("an informer");
    let runs = informer.clone();
    let running = tokio::spawn(async move { runs.run(std::future::pending()).await });
    let mut progress = informer.progress();
    while informer.lister().len() < 2 {
        let patience = std::time::Duration::from_secs(60);
        progress = informer.wait_progress(&progress, patience).await.expect("both are there");
    }
    running.abort();
}

/// A server that answers one request with nothing, and what it was sent before the body.
async fn heard() -> (SocketAddr, tokio::task::JoinHandle<String>) {
    let listener = tokio::net::TcpListener::bind(loopback()).await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let hears = async move {
        let (stream, _) = listener.accept().await.expect("a connection");
        let mut stream = tokio::io::BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = stream.read_line(&mut head).await.expect("a line");
            assert!(read > 0, "it ends in its head: {head}");
        }
        let answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
        stream.get_mut().write_all(answer).await.expect("it is sent");
        head.to_lowercase()
    };
    (address, tokio::spawn(hears))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_passed_on_with_all_headers_but_those_of_the_connection_and_of_the_client() {
    let (server, hears) = heard().await;
    let mut config = Config::new(format!("http://{server}").parse().expect("a URL"));
    config.auth_info.token = Some("ours".to_owned().into());
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.recording");
    let recorder = Recorder::create(&path).expect("a file");
    let proxy = RecordingProxy::new(Client::try_from(config).expect("a client"), recorder.clone());
    let proxy = proxy.listen(loopback()).await.expect("a port");
    let address = proxy.address();
    let passed = [
        "impersonate-user: viewer",
        "impersonate-group: readers",
        "impersonate-group: others",
        "impersonate-extra-scopes: hush",
        "kubectl-command: kubectl delete",
        "content-type: application/json",
    ];
    let dropped = [
        "Authorization: Bearer theirs",
        "Cookie: theirs",
        "Proxy-Authorization: theirs",
        "TE: theirs",
        "Keep-Alive: theirs",
        "X-Mine: theirs",
        "Accept-Encoding: gzip",
        "Connection: close, X-Mine",
    ];
    let headers = [&passed[..], &dropped].concat().join("\r\n");
    let request =
        format!("DELETE /api/v1/namespaces/a/pods/b HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n\r\n");
    let answer = raw(address, request).await;
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    let head = hears.await.expect("a request");
    for line in passed.iter().copied().chain(["authorization: bearer ours", "accept-encoding: identity"]) {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
    assert!(head.contains(&format!("\r\nhost: {server}\r\n")) && !head.contains("theirs"), "{head}");
    recorder.finish().expect("it is written");
    let text = unpacked(&std::fs::read(path).expect("the file"));
    assert!(text.contains("\"method\":\"DELETE\""), "{text}");
    for hidden in ["viewer", "readers", "hush", "ours", "theirs", "kubectl"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_credential_plugin_that_fails_is_not_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, broken) = (directory.path().join("a.recording"), directory.path().join("broken"));
    // It is asked for a token once when the client is made, and again for each request, because that one is too old.
    let plugin = format!(
        "if [ -e {} ]; then echo hush; echo hush >&2; exit 1; fi; \
         echo '{{\"status\":{{\"token\":\"hush\",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\"}}}}'",
        broken.display()
    );
    let mut config = Config::new("http://127.0.0.1:1".parse().expect("a URL"));
    let exec = serde_json::json!({ "apiVersion": "client.authentication.k8s.io/v1", "command": "sh",
        "args": ["-c", plugin], "env": [{ "name": "SECRET", "value": "hush" }], "interactiveMode": "Never" });
    config.auth_info.exec = Some(serde_json::from_value(exec).expect("a plugin"));
    let client = Client::try_from(config).expect("a client");
    let recorder = Recorder::create(&path).expect("a file");
    let proxy = RecordingProxy::new(client, recorder.clone()).listen(loopback()).await.expect("a port");
    std::fs::write(broken, "").expect("a file");
    let address = proxy.address();
    let request = format!("GET /api HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let answer = raw(address, request).await;
    recorder.finish().expect("it is written");
    let text = unpacked(&std::fs::read(path).expect("the file"));
    for said in [answer, text] {
        assert!(said.contains("the credential plugin failed: exit status: 1"), "{said}");
        assert!(!said.contains("hush") && !said.contains("SECRET"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_in_browsers_and_other_names_are_refused() {
    let rig = Rig::start().await;
    let recording_server = ReplayServer::new(rig.recording()).listen(loopback()).await.expect("a port");
    for address in [rig.proxy.address(), recording_server.address()] {
        for headers in ["Host: evil.example.com", "Host: localhost\r\nOrigin: http://evil.example.com"] {
            let answer =
                raw(address, format!("GET /api HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        }
        let upgrade = "Host: localhost\r\nUpgrade: SPDY/3.1\r\nConnection: close";
        let answer =
            raw(address, format!("POST /api/v1/namespaces/a/pods/b/exec HTTP/1.1\r\n{upgrade}\r\n\r\n"))
                .await;
        assert!(answer.starts_with("HTTP/1.1 501"), "{answer}");
    }
    let everywhere = "0.0.0.0:0".parse().expect("an address");
    let refused = RecordingProxy::new(rig.server.client(), rig.recorder.clone()).listen(everywhere).await;
    assert!(refused.unwrap_err().to_string().contains("only loopback"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_leads_to_the_recording() {
    let rig = Rig::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(client(&rig.proxy), "default");
    maps.create(&PostParams::default(), &map("a", "1")).await.expect("it is created");
    let proxied = Config::new(format!("http://{}", rig.proxy.address()).parse().expect("a URL"));
    // Discovery, a streamed list and a watch.
    let factory = SharedInformerFactory::builder(proxied).build().expect("a factory");
    let found = factory.for_resource("cm").await.expect("a kind").informer();
    factory.start();
    factory.wait_for_cache_sync(std::time::Duration::from_secs(60)).await.expect("it is synced");
    assert_eq!(found.lister().len(), 1);
    factory.shutdown().await;

    let server = ReplayServer::new(rig.recording()).listen(loopback()).await.expect("a port");
    let file = rig.directory.path().join("kubeconfig");
    let kubeconfig = server.kubeconfig();
    assert!(
        kubeconfig.contains("\n    insecure-skip-tls-verify: true\n"),
        "for JavaScript's client: {kubeconfig}"
    );
    std::fs::write(&file, kubeconfig).expect("it is written");
    let cluster = kube_informer::Cluster::find().kubeconfig(&file).await.expect("a cluster");
    let factory = SharedInformerFactory::builder(cluster).build().expect("a factory");
    let replayed = factory.for_resource("cm").await.expect("a kind").informer();
    factory.start();
    factory.wait_for_cache_sync(std::time::Duration::from_secs(60)).await.expect("it is synced");
    assert_eq!(replayed.lister().list()[0].raw_json(), found.lister().list()[0].raw_json());
    factory.shutdown().await;
}

/// An informer that runs until this is dropped.
struct Watched(SharedInformer<ConfigMap>, tokio::task::JoinHandle<()>);

impl Watched {
    fn start(listening: &LocalServer) -> Self {
        let server = Config::new(format!("http://{}", listening.address()).parse().expect("a URL"));
        let source = HttpSource::new(server, ConfigMap::info(&())).expect("a source");
        let informer = SharedInformer::<ConfigMap>::builder(source).build().expect("an informer");
        let runs = informer.clone();
        Self(
            informer,
            tokio::spawn(async move {
                runs.run(std::future::pending()).await.ok();
            }),
        )
    }

    /// Waits until these are the objects that are there.
    async fn has(&self, expected: &[&str]) {
        let patience = std::time::Duration::from_secs(60);
        self.0.wait_synced(patience).await.expect("it is synced");
        let mut progress = self.0.progress();
        loop {
            let mut names: Vec<_> =
                self.0.lister().list().iter().map(|map| map.key().name().to_owned()).collect();
            names.sort();
            if names == expected {
                return;
            }
            let waited = self.0.wait_progress(&progress, patience).await;
            progress = waited.unwrap_or_else(|error| panic!("{names:?} is not {expected:?}: {error}"));
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.1.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_informer_hears_of_the_same_end_and_other_clients_as_well() {
    let rig = Rig::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(rig.server.quiet_client(), "default");
    for name in ["a", "b"] {
        maps.create(&PostParams::default(), &map(name, "1")).await.expect("it is created");
    }
    let recorded = Watched::start(&rig.proxy);
    recorded.has(&["a", "b"]).await;
    maps.delete("a", &Default::default()).await.expect("it is deleted");
    maps.create(&PostParams::default(), &map("c", "1")).await.expect("it is created");
    recorded.has(&["b", "c"]).await;
    let recording = rig.recording();
    for speed in [Speed::Fastest, Speed::AsRecorded, Speed::Times(10.0)] {
        let server =
            ReplayServer::new(recording.clone().speed(speed)).listen(loopback()).await.expect("a port");
        let informers: Vec<_> = (0..4).map(|_| Watched::start(&server)).collect();
        for informer in &informers {
            informer.has(&["b", "c"]).await;
        }
        // Asked for as a list, in one namespace, by a client that nobody recorded.
        let maps: Api<ConfigMap> = Api::namespaced(client(&server), "default");
        let listed = maps.list(&Default::default()).await.expect("a list");
        let names: Vec<_> = listed.items.iter().map(|map| map.metadata.name.as_deref()).collect();
        assert_eq!(names, [Some("b"), Some("c")]);
        assert_eq!(maps.get("c").await.expect("it is there").data, map("c", "1").data);
        let late = Watched::start(&server);
        late.has(&["b", "c"]).await;
    }
}
