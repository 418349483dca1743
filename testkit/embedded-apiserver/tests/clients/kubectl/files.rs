//! The files of the commands.

/// Their names and what is in them.
pub(super) const FILES: &[(&str, &str)] = &[
    ("map", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {key: one, other: x}\n"),
    ("map-2", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, labels: {a: b}}\ndata: {key: two}\n"),
    ("map-3", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {key: three, more: y}\n"),
    (
        "map-old",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, resourceVersion: '1'}\ndata: {key: old}\n",
    ),
    (
        "map-immutable",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\nimmutable: true\ndata: {key: one}\n",
    ),
    (
        "map-misspelt",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndat: {key: one}\ndata: {key: one}\n",
    ),
    ("map-wrong", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {key: 5}\n"),
    ("secret", "apiVersion: v1\nkind: Secret\nmetadata: {name: mine}\nstringData: {key: one}\n"),
    ("secret-2", "apiVersion: v1\nkind: Secret\nmetadata: {name: mine}\nstringData: {key: two, more: x}\n"),
    ("account", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: mine}\nsecrets: [{name: a}]\n"),
    ("node", "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n"),
    (
        "role",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: mine}\nrules:\n- {apiGroups: [''], \
         resources: [pods], verbs: [get]}\n",
    ),
    (
        "role-2",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: mine}\nrules:\n- {apiGroups: [''], \
         resources: [pods, configmaps], verbs: [get]}\n",
    ),
    (
        "binding",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: mine}\nroleRef: {apiGroup: \
         rbac.authorization.k8s.io, kind: Role, name: mine}\nsubjects:\n- {kind: ServiceAccount, name: a, namespace: b}\n",
    ),
    ("web", WEB),
    ("web-2", WEB_2),
    ("web-selector", WEB_SELECTOR),
    ("service", SERVICE),
    ("service-2", SERVICE_2),
    (
        "pod",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: one, labels: {app: web}}\nspec:\n  containers:\n  - {name: c, image: i}\n",
    ),
    (
        "pod-2",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: one, labels: {app: web}}\nspec:\n  containers:\n  - {name: c, image: j}\n",
    ),
    ("set", SET),
    ("definition", DEFINITION),
    (
        "widget",
        "apiVersion: kubectl.example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 1, parts: [{name: a, count: 1}]}\n",
    ),
    (
        "widget-2",
        "apiVersion: kubectl.example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 2, replicas: 2, parts: [{name: b}]}\n",
    ),
    (
        "widget-wrong",
        "apiVersion: kubectl.example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: large, unknown: 1}\n",
    ),
    (
        "widget-text",
        "apiVersion: kubectl.example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: large}\n",
    ),
    (
        "widget-unknown",
        "apiVersion: kubectl.example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {unknown: 1}\n",
    ),
];

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: \
    {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: \
    web\n        image: web:1\n        env: [{name: A, value: '1'}, {name: B, value: '2'}]\n        ports: [{containerPort: \
    80}]\n      - {name: side, image: side:1}\n";
const WEB_2: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {tier: front}}\nspec:\n  replicas: \
    3\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      \
    - name: web\n        image: web:2\n        env: [{name: B, value: '3'}, {name: C, value: '4'}]\n        ports: \
    [{containerPort: 8080}]\n      volumes: [{name: v, emptyDir: {}}]\n";
const WEB_SELECTOR: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: \
    {app: other}}\n  template:\n    metadata: {labels: {app: other}}\n    spec:\n      containers:\n      - {name: web, image: \
    web:1}\n";
const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  clusterIP: None\n  selector: {app: \
    web}\n  ports: [{name: http, port: 80}, {name: https, port: 443, targetPort: 8443}]\n";
const SERVICE_2: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  clusterIP: None\n  selector: {app: \
    web, tier: front}\n  ports: [{name: https, port: 443, targetPort: tls}]\n";
const SET: &str = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: set}\nspec:\n  replicas: 2\n  selector: \
    {matchLabels: {app: set}}\n  template:\n    metadata: {labels: {app: set}}\n    spec:\n      containers: [{name: c, image: \
    i}]\n";
const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: \
    widgets.kubectl.example.com}\nspec:\n  group: kubectl.example.com\n  scope: Namespaced\n  names: {plural: widgets, \
    singular: widget, kind: Widget, listKind: WidgetList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
    subresources:\n      status: {}\n      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}\n    \
    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            \
    properties:\n              size: {type: integer, maximum: 9}\n              replicas: {type: integer, default: 1}\n              \
    parts:\n                type: array\n                x-kubernetes-list-type: map\n                \
    x-kubernetes-list-map-keys: [name]\n                items:\n                  type: object\n                  required: \
    [name]\n                  properties: {name: {type: string}, count: {type: integer}}\n          status:\n            type: \
    object\n            properties: {phase: {type: string}, replicas: {type: integer}}\n";
