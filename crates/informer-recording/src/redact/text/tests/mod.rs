use super::super::{About, redact};
use super::*;

mod fuzz;

fn shown(text: &str) -> String {
    without_credentials(text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn ordinary_text_with_dots_near_its_end_stays() {
    for text in [
        "my-app.default.svc",
        "https://github.com/acme/web/blob/main/README.md",
        "ghcr.io/acme-corp/my-app.web:1",
        "abcdef.",
        "abcdef.0",
        "abcdef.0123456789abcde",
        ".0123456789abcdef",
        "äbcdef.0123456789abcdef",
    ] {
        assert_eq!(without_credentials(text), None, "{text}");
        assert_eq!(name_without_credentials(text), None, "{text}");
    }
}

#[test]
fn tokens_are_known_by_what_their_issuers_put_before_them() {
    let aws = format!("{}IOSFODNN7EXAMPLE", "AKIA");
    for token in [
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "gho_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
        "glpat-abcdefghij0123456789",
        "xoxb-1234567890-abcdefghij",
        "xoxp-1234567890-abcdefghij",
        "sk-proj-abcdefghijklmnop0123",
        "sk_live_abcdefghijklmnop0123",
        &aws,
    ] {
        for text in [
            token.to_owned(),
            format!("the key is {token}."),
            format!("https://{token}@example.com/a"),
            format!("--set=key={token},other=1"),
            format!("{{\"a\":\"{token}\"}}"),
            format!("→{token}←"),
        ] {
            let shown = shown(&text);
            assert!(!shown.contains(&token[5..]), "{text} → {shown}");
        }
    }
    let named = name_without_credentials("ghp_0123456789abcdefghijklmnopqrstuvwxyz");
    assert!(named.is_some_and(|named| named.starts_with("xxxx")), "also where a name is expected");
}

/// An annotation may have this much, and the informer that is recorded waits for it.
#[test]
fn text_on_one_long_line_is_looked_through_once() {
    let base64url = "Zm9v-YmFy_YmF6-cXV4_Zm9v".repeat(10_000);
    let margin = format!("{}{}", " ".repeat(125_000), "token=a ".repeat(15_000));
    let end = format!("{}{}", "token=a".repeat(15_000), ",".repeat(125_000));
    let blocks: String = (0..1_400).map(|depth| format!("{}token: |\n", " ".repeat(depth))).collect();
    for text in [
        base64url,
        "-".repeat(1 << 18),
        "--token-".repeat(1 << 15),
        "token=a ".repeat(1 << 15),
        "token=[a ".repeat(1 << 15),
        "token=a,".repeat(1 << 15),
        "a&token=".repeat(1 << 15),
        "sk-".repeat(87_000),
        "AKIA-".repeat(50_000),
        margin,
        end,
        blocks,
    ] {
        for redact in [without_credentials, name_without_credentials] {
            let begun = std::time::Instant::now();
            redact(&text);
            let took = begun.elapsed();
            assert!(took.as_secs() < 10, "{}…: {took:?}", &text[..20]);
        }
    }
}

/// What was found ahead of one pair must not be taken for another's.
#[test]
fn several_pairs_on_a_line_are_each_seen_to_their_end() {
    for (text, expected) in [
        ("a=1 token=bb c=2 token=dd, e=3\ntoken=ff g", "a=1 token=xx c=2 token=xx, e=3\ntoken=xxxx"),
        ("x token=[aa] y token=[bb] z", "x token=[xx] y token=[xx] z"),
        ("x token=aa;token=b&token=cc", "x token=xxxxxxxxxxxxxxxx&token=xx"),
        ("---token aa --no-token bb x", "---token xx --no-token xx x"),
        ("token: |\n a\n token: |\n  b\nc\ntoken: |\n d", "token: |\n xxxxxxxxxxxxxxxx\nc\ntoken: |\n x"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn what_only_begins_like_a_token_stays() {
    for text in [
        "task-0123456789abcdefghij",
        "my-sk-0123456789abcdefghij",
        "sk-learn",
        "glpat-exporter",
        "xoxo-0123456789",
        "AKIAbcdef0123456789",
        "ghp_short",
        "high_performance_computing_cluster",
    ] {
        let is_kept = without_credentials(text).is_none() || text.starts_with("xoxo");
        assert!(is_kept, "{text}");
    }
    // A pod of an application that is called so.
    assert_eq!(name_without_credentials("sk-frontend-5d9c7b8f6c-abcde"), None);
}

#[test]
fn the_password_in_an_address_is_replaced() {
    for (text, expected) in [
        ("postgres://app:hush@db:5432/shop", "postgres://app:xxxx@db:5432/shop"),
        ("redis://:hush@cache/0", "redis://:xxxx@cache/0"),
        ("see https://a:h%40u@h@b.example.com/c?d=e@f", "see https://a:xxxxxxxx@b.example.com/c?d=e@f"),
        ("jdbc:mysql://a:hush@h/d and http://c:hush@d", "jdbc:mysql://a:xxxx@h/d and http://c:xxxx@d"),
    ] {
        assert_eq!(shown(text), expected);
    }
    for text in ["http://localhost:8080/a@b", "https://user@example.com", "a://b", "x:///etc/a:b@c", "://"] {
        assert_eq!(without_credentials(text), None, "{text}");
    }
}

#[test]
fn values_with_the_name_of_a_secret_are_replaced_wherever_they_stand() {
    for (text, expected) in [
        ("password: hush", "password: xxxx"),
        ("user: me\npassword: two words\nport: 1", "user: me\npassword: xxxxxxxxxxxxxxxx\nport: 1"),
        ("  - token:   hush  \r\n  - b: c", "  - token:   xxxx  \r\n  - b: c"),
        ("DB_PASS=hush", "DB_PASS=xxxx"),
        ("export DB_PASS='it''s' PORT=1", "export DB_PASS='xxxxxxxx' PORT=1"),
        ("db.password = hush hush", "db.password = xxxxxxxxxxxxxxxx"),
        (r#"{"a":1,"token": "hush","b":2}"#, r#"{"a":1,"token": "xxxx","b":2}"#),
        (r#"{\"token\":\"hush\",\"b\":2}"#, r#"{\"token\":\"xxxx\",\"b\":2}"#),
        (r#"{"jwt":"a\"b"}"#, r#"{"jwt":"xxxx"}"#),
        (r#"{"tokens":["a","b"]}"#, r#"{"tokens":[xxxxxxxx]}"#),
        // A number in a text is a text as well.
        (r#"{"apiKey":1234}"#, r#"{"apiKey":xxxx}"#),
        ("{password: hush, user: me}", "{password: xxxx, user: me}"),
        ("https://example.com/?a=b&token=hush&c=d", "https://example.com/?a=b&token=xxxx&c=d"),
        ("Server=db;Password=hush", "Server=db;Password=xxxx"),
        ("mysql --password hush --host db", "mysql --password xxxx --host db"),
        ("--token=hush --host=db", "--token=xxxx --host=db"),
        ("dsn: me:hush@tcp(db:3306)/shop", "dsn: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        ("connectionString = Server=db;Key=a b", "connectionString = xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        (
            "key: a\npassword: |-\n  hush\n\n  hush\nport: 1",
            "key: a\npassword: |-\n  xxxxxxxxxxxxxxxx\nport: 1",
        ),
        ("- token: > # folded\n    hush\n  a: b", "- token: > # folded\n    xxxx\n  a: b"),
        ("Authorization: Bearer hush", "Authorization: Bearer xxxx"),
        ("Passwörter: a\npassword: hüsh", "Passwörter: a\npassword: xxxxxxxx"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
        assert_eq!(shown(expected), expected, "nothing is taken out twice");
    }
}

#[test]
fn what_is_no_value_of_a_secret_stays() {
    for text in [
        "ghcr.io/external-secrets/external-secrets:v0.9.1",
        "secret \"db-password\" not found",
        "couldn't find key password in Secret default/db",
        "password:",
        "password:\n",
        "password: \"\"",
        "token: true",
        "secret:\n  name: a",
        "\"token\": {\"a\": 1}",
        "--token-file=/var/run/token",
        "bypass: all",
        "std::token::kind",
        "token",
        "=",
        ": :",
        "--",
    ] {
        assert_eq!(without_credentials(text), None, "{text}");
    }
}

#[test]
fn texts_of_config_maps_and_arguments_are_looked_through() {
    for (document, kept) in [
        (
            r#"{"kind":"ConfigMap","data":{"app.yaml":"db:\n  password: hush-hush\n  port: 5432\n"}}"#,
            "port: 5432",
        ),
        (r#"{"kind":"ConfigMap","data":{"a.json":"{\"token\": \"hush-hush\", \"b\": 1}"}}"#, r#"\"b\": 1"#),
        (r#"{"args":["--password","hush-hush","--port","5432"]}"#, "5432"),
        (r#"{"args":["--db-password=hush-hush","--port=5432"]}"#, "--port=5432"),
        (r#"{"env":[{"name":"DB_PASS","value":"hush-hush"},{"name":"PORT","value":"5432"}]}"#, "5432"),
        (
            r#"{"spec":{"dsn":"hush-hush","jwt":"hush-hush","connectionString":"hush-hush","bypass":"all"}}"#,
            "all",
        ),
    ] {
        let shown = redact(document.as_bytes(), About::default()).expect("it is JSON");
        let shown = String::from_utf8(shown).expect("text");
        assert!(!shown.contains("hush") && shown.contains(kept), "{shown}");
    }
}
