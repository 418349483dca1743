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
    /// An address that changes with every version.
    VersionIp,
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
    /// The same two to the microsecond, as text.
    MicroTime,
    VersionMicroTime,
    /// All of them in protobuf: seconds as a varint of five bytes, and the nanoseconds of those that have any as another.
    TimeVarint,
    VersionTimeVarint,
    NanosVarint,
    VersionNanosVarint,
    /// A number of four digits that changes with every version, as text and as a varint.
    Count,
    CountVarint,
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

/// What numbers in holes look like while a protobuf message is encoded: no text and no length of ours contains it. The place
/// and the position of the value in [`NUMBERS`] follow.
pub(crate) const NUMBER_MARK: [u8; 3] = [0xff; 3];

/// What may follow the mark.
const NUMBERS: [Value; 5] = [
    Value::TimeVarint,
    Value::VersionTimeVarint,
    Value::NanosVarint,
    Value::VersionNanosVarint,
    Value::CountVarint,
];

/// Five bytes for a number in a hole.
pub(crate) fn number(value: Value, place: u8) -> [u8; 5] {
    let position = NUMBERS.iter().position(|number| *number == value).unwrap_or_default();
    [NUMBER_MARK[0], NUMBER_MARK[1], NUMBER_MARK[2], place, position as u8]
}

/// Where the holes of a template are.
pub(crate) fn find(template: &[u8]) -> Vec<Hole> {
    let mut holes = Vec::new();
    let mut at = 0;
    while at < template.len() {
        let rest = &template[at..];
        let hole = if rest.starts_with(b"~") {
            text_hole(rest, at)
        } else if rest.starts_with(&NUMBER_MARK) && rest.len() >= 5 {
            let value = NUMBERS.get(usize::from(rest[4])).copied();
            value.map(|value| Hole { at, width: 5, value, place: rest[3].into() })
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
        b'I' => Value::VersionIp,
        b'h' => Value::HostIp,
        b'n' => Value::Node,
        b's' => Value::Suffix,
        b'S' => Value::OwnerSuffix,
        b'm' => Value::Namespace,
        b'T' => Value::Time,
        b't' => Value::VersionTime,
        b'C' => Value::MicroTime,
        b'c' => Value::VersionMicroTime,
        b'k' => Value::Count,
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

/// A number's hole as it stands in JSON text that is parsed as a template: a number that is not known yet would be no JSON.
pub(crate) fn number_text(place: u64) -> String {
    format!(r#""{}""#, text('k', place, 4))
}

/// JSON text in which the holes of numbers are no longer in quotation marks.
pub(crate) fn bare_numbers(json: &str) -> String {
    let mut bare = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, after)) = rest.split_once(r#""~k"#) {
        let (hole, after) = after.split_once('"').unwrap_or((after, ""));
        bare.extend([before, "~k", hole]);
        rest = after;
    }
    bare + rest
}
