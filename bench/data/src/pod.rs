//! The template of an app's pods.

mod replica_set;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::app::App;
use crate::hole::text as hole;

pub(crate) use self::replica_set::replica_set;

/// The metadata and the rest of a pod, JSON in the order of the server, without the outer braces. Its ReplicaSet is one that
/// is served too, or a name only.
pub(crate) fn pod(app: App, is_owned: bool) -> (String, String) {
    let pod = Pod::new(app, is_owned);
    (pod.metadata(), format!("{},{}", pod.spec(), pod.status()))
}

struct Pod {
    app: App,
    name: String,
    replica_set: String,
    replica_set_uid: String,
    /// Names of containers, and how many environment variables each has.
    containers: Vec<(String, u64)>,
    init_containers: Vec<(String, u64)>,
    /// A job or a debugging pod: no probes, no configuration, few annotations.
    slim: bool,
}

impl Pod {
    fn new(app: App, is_owned: bool) -> Self {
        let name = app.name();
        let (replica_set, replica_set_uid) = match is_owned {
            true => (format!("{name}-{}", hole('S', 0, 5)), hole('U', 0, 36)),
            false => (format!("{name}-{}", app.hex(3, 10)), app.uuid(34)),
        };
        let slim = app.number(9, 10) < 2;
        // Most have one or two containers and a few variables; some have many of both.
        let (count, many) = match app.number(10, 40) {
            _ if slim => (1, 3),
            0..=20 => (1, 6),
            21..=32 => (2, 6),
            33..=37 => (3, 8),
            38 => (3, 30),
            _ => (4, 60),
        };
        let side_cars = ["istio-proxy", "log-shipper", "metrics-agent", "vault-agent"];
        let containers = (0..count)
            .map(|c| {
                let name = if c == 0 {
                    app.service().to_owned()
                } else {
                    side_cars[(c as usize - 1) % 4].to_owned()
                };
                (name, 1 + app.number(20 + c, many))
            })
            .collect();
        let init_containers = (0..app.number(11, 6) / 5).map(|_| ("migrate".to_owned(), 2)).collect();
        Self { app, name, replica_set, replica_set_uid, containers, init_containers, slim }
    }

    fn metadata(&self) -> String {
        let app = self.app;
        let labels = self.labels();
        let mut annotations = format!(
            r#""cni.projectcalico.org/containerID":"{}","cni.projectcalico.org/podIP":"{}/32""#,
            hole('X', 0, 64),
            hole('i', 0, 14),
        );
        if !self.slim {
            let _ = write!(
                annotations,
                r#","checksum/config":"{}","checksum/secret":"{}""#,
                app.hex(30, 64),
                app.hex(31, 64)
            );
        }
        if app.number(12, 2) == 0 {
            let _ = write!(
                annotations,
                r#","kubectl.kubernetes.io/restartedAt":"{}","prometheus.io/path":"/metrics","prometheus.io/port":"{}","prometheus.io/scrape":"true""#,
                hole('T', 0, 20),
                9_000 + app.number(32, 999),
            );
        }
        if app.number(13, 3) == 0 {
            let _ = write!(
                annotations,
                r#","sidecar.istio.io/status":"{{\"initContainers\":[\"istio-init\"],\"containers\":[\"istio-proxy\"],\"volumes\":[\"istio-envoy\",\"istio-data\"],\"revision\":\"{}\"}}""#,
                app.hex(33, 8),
            );
        }
        format!(
            concat!(
                r#""metadata":{{"name":"{0}-{1}","generateName":"{0}-","namespace":"team-{2}","uid":"{3}","#,
                r#""resourceVersion":"{4}","generation":1,"creationTimestamp":"{5}","labels":{{{6}}},"annotations":{{{7}}},"#,
                r#""ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"{0}","uid":"{8}","controller":true,"blockOwnerDeletion":true}}],"#,
                r#""managedFields":[{9}]}}"#,
            ),
            self.replica_set,
            hole('s', 0, 5),
            hole('m', 0, 5),
            hole('u', 0, 36),
            hole('r', 0, 10),
            hole('T', 0, 20),
            labels,
            annotations,
            self.replica_set_uid,
            self.managed_fields(),
        )
    }

    fn labels(&self) -> String {
        let app = self.app;
        let mut labels = format!(
            r#""app":"{}","app.kubernetes.io/managed-by":"Helm","app.kubernetes.io/name":"{}","app.kubernetes.io/version":"{}.{}.{}","pod-template-hash":"{}","team":"{}","tier":"{}""#,
            self.name,
            app.service(),
            app.number(35, 4),
            app.number(36, 30),
            app.number(37, 90),
            app.hex(3, 10),
            app.hex(38, 6),
            app.pick(39, &["backend", "frontend", "data"]),
        );
        if app.number(14, 3) == 0 {
            let _ = write!(
                labels,
                r#","topology.kubernetes.io/region":"eu-west-1","cost-center":"{}""#,
                app.hex(40, 5)
            );
        }
        labels
    }

    fn spec(&self) -> String {
        let app = self.app;
        let list = |containers: &[(String, u64)], base: u64| -> String {
            let texts: Vec<String> = containers
                .iter()
                .zip(0..)
                .map(|((name, variables), c)| self.container(name, *variables, base + c * 1_000))
                .collect();
            texts.join(",")
        };
        let init = match self.init_containers.is_empty() {
            true => String::new(),
            false => format!(r#""initContainers":[{}],"#, list(&self.init_containers, 60_000)),
        };
        let volumes = match self.slim {
            true => String::new(),
            false => format!(
                concat!(
                    r#"{{"name":"config","configMap":{{"name":"{name}-config","defaultMode":420}}}},"#,
                    r#"{{"name":"tmp","emptyDir":{{"medium":"Memory","sizeLimit":"64Mi"}}}},"#,
                    r#"{{"name":"credentials","secret":{{"secretName":"{name}-{hash}","defaultMode":420}}}},"#,
                ),
                name = self.name,
                hash = app.hex(42, 8),
            ),
        };
        let selector = match app.number(15, 4) {
            0 => format!(
                r#""nodeSelector":{{"node.kubernetes.io/pool":"{}"}},"#,
                app.pick(41, &["general", "memory", "spot"])
            ),
            _ => String::new(),
        };
        format!(
            concat!(
                r#""spec":{{"volumes":[{volumes}"#,
                r#"{{"name":"kube-api-access-{access}","projected":{{"sources":[{{"serviceAccountToken":{{"expirationSeconds":3607,"path":"token"}}}},"#,
                r#"{{"configMap":{{"name":"kube-root-ca.crt","items":[{{"key":"ca.crt","path":"ca.crt"}}]}}}},"#,
                r#"{{"downwardAPI":{{"items":[{{"path":"namespace","fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.namespace"}}}}]}}}}],"defaultMode":420}}}}],"#,
                r#"{init}"containers":[{containers}],"restartPolicy":"Always","terminationGracePeriodSeconds":{grace},"dnsPolicy":"ClusterFirst",{selector}"#,
                r#""serviceAccountName":"{name}","serviceAccount":"{name}",{node}"#,
                r#""securityContext":{{"runAsUser":{user},"runAsNonRoot":true,"fsGroup":2000}},"imagePullSecrets":[{{"name":"registry"}}],"schedulerName":"default-scheduler","#,
                r#""tolerations":[{{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},"#,
                r#"{{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}],"#,
                r#""priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"}}"#,
            ),
            name = self.name,
            volumes = volumes,
            access = hole('X', 1, 5),
            init = init,
            containers = list(&self.containers, 100),
            grace = 30 + app.number(43, 4) * 15,
            selector = selector,
            node = self.node_name(),
            user = 1_000 + app.number(44, 9_000),
        )
    }

    fn node_name(&self) -> String {
        format!(r#""nodeName":"ip-{}.eu-west-1.compute.internal","#, hole('n', 0, 14))
    }

    fn container(&self, name: &str, variables: u64, base: u64) -> String {
        let app = self.app;
        let mut env = vec![
            r#"{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}"#
                .to_owned(),
            format!(
                r#"{{"name":"API_KEY","valueFrom":{{"secretKeyRef":{{"name":"{}-{}","key":"api-key"}}}}}}"#,
                self.name,
                app.hex(42, 8)
            ),
        ];
        env.extend((0..variables).map(|v| {
            format!(
                r#"{{"name":"{}","value":"{}"}}"#,
                app.variable(base + 100 + v * 10),
                app.value(base + 103 + v * 10)
            )
        }));
        let port = 8_000 + app.number(base + 1, 900);
        let probe = |path: &str, period: u64| {
            format!(
                r#"{{"httpGet":{{"path":"{path}","port":{port},"scheme":"HTTP"}},"initialDelaySeconds":5,"timeoutSeconds":1,"periodSeconds":{period},"successThreshold":1,"failureThreshold":3}}"#
            )
        };
        let (mounts, probes) = match self.slim {
            true => ("", String::new()),
            false => (
                r#"{"name":"config","readOnly":true,"mountPath":"/etc/app"},{"name":"tmp","mountPath":"/scratch"},"#,
                format!(
                    r#""livenessProbe":{},"readinessProbe":{},"#,
                    probe("/healthz", 10 + app.number(base + 4, 20)),
                    probe("/readyz", 5)
                ),
            ),
        };
        format!(
            concat!(
                r#"{{"name":"{}","image":"{}","args":["--config=/etc/app/config.yaml","--listen=:{}"],"ports":[{{"name":"http","containerPort":{},"protocol":"TCP"}}],"env":[{}],"#,
                r#""resources":{{"limits":{{"memory":"{}Mi"}},"requests":{{"cpu":"{}m","memory":"{}Mi"}}}},"#,
                r#""volumeMounts":[{}"#,
                r#"{{"name":"kube-api-access-{}","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}}],"#,
                r#"{}"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","#,
                r#""securityContext":{{"allowPrivilegeEscalation":false}}}}"#,
            ),
            name,
            self.image(name, base),
            port,
            port,
            env.join(","),
            256 << app.number(base + 2, 4),
            50 + 25 * app.number(base + 3, 30),
            128 << app.number(base + 2, 4),
            mounts,
            hole('X', 1, 5),
            probes,
        )
    }

    fn image(&self, container: &str, base: u64) -> String {
        let app = self.app;
        format!(
            "registry.example.com/{}/{container}:v{}.{}.{}",
            app.service(),
            app.number(base + 5, 4),
            app.number(base + 6, 30),
            app.number(base + 7, 90)
        )
    }

    fn status(&self) -> String {
        let app = self.app;
        let created = hole('T', 0, 20);
        let condition = |kind: &str, at: &str| {
            format!(
                r#"{{"type":"{kind}","observedGeneration":1,"status":"True","lastProbeTime":null,"lastTransitionTime":"{at}"}}"#
            )
        };
        let conditions = [
            condition("PodReadyToStartContainers", &hole('T', 3, 20)),
            condition("Initialized", &created),
            condition("Ready", &hole('t', 1, 20)),
            condition("ContainersReady", &hole('t', 1, 20)),
            condition("PodScheduled", &created),
        ];
        let statuses: Vec<String> = self
            .containers
            .iter()
            .zip(0..)
            .map(|((name, _), c)| {
                let base = 100 + c * 1_000;
                // The first container is the one that restarts: its id changes with every version.
                let id = hole(if c == 0 { 'x' } else { 'X' }, 10 + c, 64);
                let last = match (c, app.number(16, 4)) {
                    (0, 0) => format!(
                        r#"{{"terminated":{{"exitCode":137,"reason":"OOMKilled","startedAt":"{}","finishedAt":"{}","containerID":"containerd://{}"}}}}"#,
                        hole('T', 4, 20), hole('T', 9, 20), hole('X', 20, 64),
                    ),
                    _ => "{}".to_owned(),
                };
                format!(
                    r#"{{"name":"{name}","state":{{"running":{{"startedAt":"{}"}}}},"lastState":{last},"ready":true,"restartCount":{},"image":"{image}","imageID":"registry.example.com/{}/{name}@sha256:{}","containerID":"containerd://{id}","started":true}}"#,
                    hole(if c == 0 { 't' } else { 'T' }, 5 + c, 20), app.number(base + 8, 4), app.service(), app.hex(base + 9, 64), image = self.image(name, base),
                )
            })
            .collect();
        format!(
            concat!(
                r#""status":{{"observedGeneration":1,"phase":"Running","conditions":[{}],"hostIP":"{host}","hostIPs":[{{"ip":"{host}"}}],"podIP":"{pod}","podIPs":[{{"ip":"{pod}"}}],"#,
                r#""startTime":"{}","containerStatuses":[{}],"qosClass":"Burstable"}}"#,
            ),
            conditions.join(","),
            created,
            statuses.join(","),
            host = hole('h', 0, 14),
            pod = hole('i', 0, 14),
        )
    }

    fn managed_fields(&self) -> String {
        if self.slim {
            return format!(
                r#"{{"manager":"kubectl-run","operation":"Update","apiVersion":"v1","time":"{}","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:containers":{{}},"f:restartPolicy":{{}}}}}}}}"#,
                hole('T', 0, 20)
            );
        }
        let app = self.app;
        // The server writes them in order.
        let containers: BTreeSet<String> = self
            .containers
            .iter()
            .zip(0..)
            .map(|((name, variables), c)| {
                let env: BTreeSet<String> = (0..*variables)
                    .map(|v| format!(r#""k:{{\"name\":\"{}\"}}":{{".":{{}},"f:name":{{}},"f:value":{{}}}}"#, app.variable(100 + c * 1_000 + 100 + v * 10)))
                    .collect();
                format!(
                    concat!(
                        r#""k:{{\"name\":\"{}\"}}":{{".":{{}},"f:args":{{}},"f:env":{{".":{{}},{}}},"f:image":{{}},"f:imagePullPolicy":{{}},"#,
                        r#""f:livenessProbe":{{".":{{}},"f:failureThreshold":{{}},"f:httpGet":{{".":{{}},"f:path":{{}},"f:port":{{}},"f:scheme":{{}}}},"f:periodSeconds":{{}},"f:successThreshold":{{}},"f:timeoutSeconds":{{}}}},"#,
                        r#""f:name":{{}},"f:ports":{{}},"f:resources":{{".":{{}},"f:limits":{{".":{{}},"f:memory":{{}}}},"f:requests":{{".":{{}},"f:cpu":{{}},"f:memory":{{}}}}}},"f:securityContext":{{}},"f:terminationMessagePath":{{}},"f:terminationMessagePolicy":{{}},"f:volumeMounts":{{}}}}"#,
                    ),
                    name, joined(&env),
                )
            })
            .collect();
        format!(
            concat!(
                r#"{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"{}","fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":{{"f:annotations":{{".":{{}},"f:checksum/config":{{}},"f:checksum/secret":{{}}}},"#,
                r#""f:generateName":{{}},"f:labels":{{".":{{}},"f:app":{{}},"f:pod-template-hash":{{}},"f:team":{{}}}},"f:ownerReferences":{{".":{{}},"k:{{\"uid\":\"{}\"}}":{{}}}}}},"#,
                r#""f:spec":{{"f:containers":{{{}}},"f:dnsPolicy":{{}},"f:enableServiceLinks":{{}},"f:restartPolicy":{{}},"f:schedulerName":{{}},"f:securityContext":{{}},"f:serviceAccountName":{{}},"f:terminationGracePeriodSeconds":{{}},"f:volumes":{{}}}}}}}},"#,
                r#"{{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"{}","fieldsType":"FieldsV1","fieldsV1":{{"f:status":{{"f:conditions":{{"k:{{\"type\":\"ContainersReady\"}}":{{".":{{}},"f:lastProbeTime":{{}},"f:lastTransitionTime":{{}},"f:status":{{}},"f:type":{{}}}},"#,
                r#""k:{{\"type\":\"Ready\"}}":{{".":{{}},"f:lastProbeTime":{{}},"f:lastTransitionTime":{{}},"f:status":{{}},"f:type":{{}}}}}},"f:containerStatuses":{{}},"f:hostIP":{{}},"f:phase":{{}},"f:podIP":{{}},"f:podIPs":{{}},"f:startTime":{{}}}}}},"subresource":"status"}}"#,
            ),
            hole('T', 0, 20),
            self.replica_set_uid,
            joined(&containers),
            hole('t', 2, 20),
        )
    }
}

fn joined(texts: &BTreeSet<String>) -> String {
    texts.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}
