use std::time::Duration;

use super::*;
use crate::record::{Record, What};

fn chunk(n: u64) -> Record {
    // Long enough that zstd has something to do.
    let text = format!("{n} ").repeat(usize::try_from(n).unwrap() * 40);
    Record { exchange: 1, at: Duration::from_micros(n), what: What::Chunk(Bytes::from(text)) }
}

/// A file of three frames, and where each of them ends.
fn file() -> (Vec<u8>, Vec<usize>, Vec<Record>) {
    let mut packer = Packer::new();
    let (mut file, mut ends, mut all) = (header(), Vec::new(), Vec::new());
    for frame in [&[1, 2][..], &[3], &[4, 5, 6]] {
        let mut bytes = Vec::new();
        for n in frame {
            chunk(*n).write(&mut bytes);
            all.push(chunk(*n));
        }
        file.extend(packer.frame(&bytes).unwrap());
        ends.push(file.len());
    }
    (file, ends, all)
}

#[test]
fn a_file_that_is_cut_at_any_byte_has_all_whole_frames() {
    let (file, ends, all) = file();
    for length in 0..=file.len() {
        let read = read(&file[..length]).unwrap_or_else(|error| panic!("at {length}: {error}"));
        let whole = ends.iter().filter(|end| **end <= length).count();
        let expected = [0, 2, 3, 6][whole];
        assert_eq!(read.records, all[..expected], "at {length}");
        let at_border = length == header().len() || ends.contains(&length);
        assert_eq!(read.is_cut, !at_border, "at {length}");
    }
}

#[test]
fn no_damaged_byte_is_taken_for_something_else() {
    let (file, _, all) = file();
    for at in 0..file.len() {
        for flip in [1, 0x80] {
            let mut damaged = file.clone();
            damaged[at] ^= flip;
            // A length that grew looks like a cut. Nothing that is read differs from what was written.
            if let Ok(read) = read(&damaged) {
                assert!(read.is_cut || read.records == all, "byte {at}");
                assert!(all.starts_with(&read.records), "byte {at}");
            }
        }
    }
}

#[test]
fn other_files_and_newer_versions_are_told_apart() {
    assert_eq!(read(b"apiVersion: v1\nkind: Config\n").unwrap_err(), Unreadable::NotARecording);
    let newer = String::from_utf8_lossy(&header()[8..]).replace('1', "2");
    let mut file = header();
    file.splice(8.., newer.bytes());
    let error = read(&file).unwrap_err();
    assert_eq!(error, Unreadable::Newer(2));
    assert!(error.to_string().contains("version 2"), "{error}");
    // A frame of another format that zstd skips as well.
    let other = [&SKIPPED.to_le_bytes()[..], &4_u32.to_le_bytes(), b"abcd"].concat();
    assert_eq!(read(&other).unwrap_err(), Unreadable::NotARecording);
}

#[test]
fn a_file_that_unpacks_to_too_much_is_read_as_far_as_it_goes() {
    let (file, _, all) = file();
    let unpacked = |records: &[Record]| {
        let mut bytes = Vec::new();
        records.iter().for_each(|record| record.write(&mut bytes));
        bytes.len() as u64
    };
    let whole = unpacked(&all) + PER_RECORD * all.len() as u64;
    let read = read_within(&file, whole).expect("it is just small enough");
    assert_eq!((read.records, read.is_too_large), (all.clone(), false));
    // The last record is too much, or the last frame is.
    let of_two = unpacked(&all[..3]) + PER_RECORD * 3;
    for limit in [whole - 1, of_two + unpacked(&all[3..]) - 1, of_two] {
        let read = read_within(&file, limit).expect("nothing is wrong with it");
        assert_eq!(read.records, all[..3], "{limit}");
        assert!(read.is_too_large && !read.is_cut, "{limit}");
    }
    // Damage is told nevertheless, where it comes first.
    let mut damaged = file;
    damaged[header().len() + 20] ^= 1;
    assert!(matches!(read_within(&damaged, of_two), Err(Unreadable::Damaged { .. })));
}

#[test]
fn a_frame_that_claims_to_be_huge_is_refused() {
    let (mut file, ends, _) = file();
    file.truncate(ends[0]);
    // The frame's header: magic number, descriptor, then the size of what it holds.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0b1110_0000];
    frame.extend(u64::MAX.to_le_bytes().map(|byte| byte & 0x7F));
    frame.extend([0b001, 0, 0]); // an empty last block
    file.extend(frame);
    let error = read(&file).unwrap_err();
    assert!(matches!(&error, Unreadable::Damaged { at, .. } if *at == ends[0]), "{error}");
}
