//! The templates of ConfigMaps, Secrets and a custom resource.

use crate::app::App;
use crate::hole::text as hole;

fn metadata(app: App, what: &str) -> String {
    format!(
        concat!(
            r#""metadata":{{"name":"{}-{}-{}","namespace":"team-{}","uid":"{}","resourceVersion":"{}","generation":{},"creationTimestamp":"{}","#,
            r#""labels":{{"app.kubernetes.io/instance":"{}","app.kubernetes.io/managed-by":"Helm"}},"annotations":{{"meta.helm.sh/release-name":"{}"}},"#,
            r#""managedFields":[{{"manager":"helm","operation":"Update","apiVersion":"v1","time":"{}","fieldsType":"FieldsV1","fieldsV1":{{"f:data":{{}},"f:metadata":{{"f:labels":{{".":{{}},"f:app.kubernetes.io/instance":{{}}}}}}}}}}]}}"#,
        ),
        app.name(),
        what,
        hole('s', 0, 5),
        hole('m', 0, 5),
        hole('u', 0, 36),
        hole('r', 0, 10),
        1 + app.number(60, 9),
        hole('T', 0, 20),
        app.name(),
        app.name(),
        hole('t', 2, 20),
    )
}

/// Settings: text of an app's own, in which little differs from object to object.
pub(crate) fn config_map(app: App) -> (String, String) {
    let lines = |base: u64, count: u64| -> String {
        (0..count)
            .map(|line| {
                format!(
                    "{}={}\\n",
                    app.variable(base + line * 10).to_lowercase().replace('_', "."),
                    app.value(base + line * 10 + 3)
                )
            })
            .collect()
    };
    let data = format!(
        r#""data":{{"application.properties":"instance={}\ncolor={}\n{}","limits.properties":"{}","revision":"{}"}}"#,
        hole('X', 0, 16),
        hole('x', 1, 8),
        lines(1_000, 5 + app.number(61, 60)),
        lines(9_000, app.number(62, 12)),
        hole('x', 2, 12),
    );
    (metadata(app, "config"), data)
}

/// Keys: bytes that nothing can make smaller.
pub(crate) fn secret(app: App) -> (String, String) {
    let data = format!(
        r#""data":{{"ca.crt":"{}","tls.crt":"{}","tls.key":"{}"}},"type":"kubernetes.io/tls""#,
        hole('b', 0, 4 * (100 + app.number(63, 200) as usize)),
        hole('b', 1, 4 * (200 + app.number(64, 400) as usize)),
        hole('b', 2, 4 * (150 + app.number(65, 300) as usize)),
    );
    (metadata(app, "tls"), data)
}

/// A custom resource: a nested spec, and a status with conditions.
pub(crate) fn widget(app: App) -> (String, String) {
    let parts: Vec<String> = (0..1 + app.number(66, 12))
        .map(|part| {
            let base = 2_000 + part * 100;
            format!(
                r#"{{"name":"{}","size":{},"source":{{"url":"{}","digest":"sha256:{}"}},"options":{{"enabled":true,"mode":"{}","values":["{}","{}"]}}}}"#,
                app.variable(base).to_lowercase(), app.number(base + 1, 1_000), app.value(base + 2), app.hex(base + 7, 64),
                app.pick(base + 8, &["fast", "safe", "auto"]), app.hex(base + 9, 10), app.hex(base + 10, 10),
            )
        })
        .collect();
    let rest = format!(
        concat!(
            r#""spec":{{"owner":"{}","parts":[{}],"replicas":{},"token":"{}"}},"#,
            r#""status":{{"conditions":[{{"type":"Ready","status":"True","reason":"Reconciled","message":"at {}","lastTransitionTime":"{}"}}],"observedGeneration":{},"checksum":"{}"}}"#,
        ),
        app.hex(67, 12),
        parts.join(","),
        app.number(68, 10),
        hole('X', 0, 32),
        hole('t', 3, 20),
        hole('t', 3, 20),
        1 + app.number(60, 9),
        hole('x', 1, 40),
    );
    (metadata(app, "widget"), rest)
}
