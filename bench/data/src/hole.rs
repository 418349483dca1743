//! The places of a template that differ from object to object.
//!
//! In the text of a template a hole is written `~`, a letter, two digits, and as many further `~` as the value is wide:
//! `~X07~~~~` is eight hexadecimal digits. The digits tell holes of one letter apart.

/// What is put into a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Hexadecimal digits of the object.
    Hex,
    /// Hexadecimal digits that change with every version.
    VersionHex,
    /// A UUID of the object.
    Uuid,
    /// That of its owner, which for an owner is itself.
    OwnerUuid,
    /// The address of the pod.
    PodIp,
    /// The address of its node.
    HostIp,
    /// The address of its node as a part of a name.
    Node,
    /// What makes the name unique within its app.
    Suffix,
    /// The same of its owner.
    OwnerSuffix,
    /// The number of the namespace.
    Namespace,
    /// A time of the object, some seconds (the digits) after its creation, as text.
    Time,
    /// A time that changes with every version, as text.
    VersionTime,
    /// The same two in protobuf: seconds as a varint of five bytes.
    TimeVarint,
    VersionTimeVarint,
    /// The resource version.
    ResourceVersion,
    /// Incompressible bytes as base64, and as they are.
    Base64,
    Raw,
}

/// A place in the bytes of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    pub(crate) at: usize,
    pub(crate) width: usize,
    pub(crate) value: Value,
    pub(crate) place: u64,
}

/// What times look like while a protobuf message is encoded: no text and no length of ours contains it.
pub(crate) const TIME_MARK: [u8; 3] = [0xff; 3];

/// Where the holes of a template are.
pub(crate) fn find(template: &[u8]) -> Vec<Hole> {
    let mut holes = Vec::new();
    let mut at = 0;
    while at < template.len() {
        let rest = &template[at..];
        let hole = if rest.starts_with(b"~") {
            text_hole(rest, at)
        } else if rest.starts_with(&TIME_MARK) && rest.len() >= 5 {
            let value = if rest[4] == 0 { Value::TimeVarint } else { Value::VersionTimeVarint };
            Some(Hole { at, width: 5, value, place: rest[3].into() })
        } else {
            None
        };
        at += hole.map_or(1, |hole| hole.width);
        holes.extend(hole);
    }
    holes
}

fn text_hole(rest: &[u8], at: usize) -> Option<Hole> {
    let value = match rest.get(1)? {
        b'X' => Value::Hex,
        b'x' => Value::VersionHex,
        b'u' => Value::Uuid,
        b'U' => Value::OwnerUuid,
        b'i' => Value::PodIp,
        b'h' => Value::HostIp,
        b'n' => Value::Node,
        b's' => Value::Suffix,
        b'S' => Value::OwnerSuffix,
        b'm' => Value::Namespace,
        b'T' => Value::Time,
        b't' => Value::VersionTime,
        b'r' => Value::ResourceVersion,
        b'b' => Value::Base64,
        b'R' => Value::Raw,
        _ => return None,
    };
    let place = std::str::from_utf8(rest.get(2..4)?).ok()?.parse().ok()?;
    let filler = rest[4..].iter().take_while(|byte| **byte == b'~').count();
    Some(Hole { at, width: 4 + filler, value, place })
}

/// The text of a hole.
pub(crate) fn text(letter: char, place: u64, width: usize) -> String {
    format!("~{letter}{place:02}{}", "~".repeat(width - 4))
}
