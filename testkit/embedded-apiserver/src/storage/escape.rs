//! Escapes in JSON strings as Go writes them.

use std::io;

use serde_json::ser::Formatter;

/// Escapes `<`, `>`, `&` and the line separators U+2028 and U+2029 as `\u003c` and so on, as Go does by default.
pub(crate) struct HtmlSafe;

impl Formatter for HtmlSafe {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let special = |c: char| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        let mut rest = fragment;
        while let Some(at) = rest.find(special) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let mut after = rest[at..].chars();
            if let Some(c) = after.next() {
                write!(writer, "\\u{:04x}", u32::from(c))?;
            }
            rest = after.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}
