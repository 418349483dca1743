//! A recording as the text that it is when it is unpacked.

/// Everything that is in a file.
pub(crate) fn unpacked(file: &[u8]) -> String {
    let (mut text, mut rest) = (Vec::new(), file);
    while !rest.is_empty() {
        let (frame, after) = rest.split_at(zstd_safe::find_frame_compressed_size(rest).expect("a frame"));
        if let Some(length) = zstd_safe::get_frame_content_size(frame).expect("a size") {
            let mut records = Vec::with_capacity(usize::try_from(length).expect("a size"));
            zstd_safe::decompress(&mut records, frame).expect("records");
            text.extend(records);
        }
        rest = after;
    }
    String::from_utf8(text).expect("text")
}
