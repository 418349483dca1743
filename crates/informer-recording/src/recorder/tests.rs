use std::future::pending;

use tokio::time::timeout;

use super::*;
use crate::file;
use crate::record::Head;

/// The file that `docs/recording.md` describes. Made by `KUBE_INFORMER_RECORD=1 cargo test -p informer-recording golden`.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/recorder/golden.recording");

/// A file in memory that can be full.
#[derive(Clone, Default)]
struct Disk {
    written: Arc<Mutex<Vec<u8>>>,
    full: Arc<Mutex<bool>>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if *self.full.lock() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on device"));
        }
        self.written.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Disk {
    fn contents(&self) -> file::Contents {
        file::read(&self.written.lock()).expect("a recording")
    }
}

/// Lets time pass, on a clock that is paused.
async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}

fn list(path: &str) -> RequestLine {
    RequestLine { method: "GET".into(), target: path.into(), ..RequestLine::default() }
}

fn ok() -> Head {
    Head { status: 200, ..Head::default() }
}

/// One of everything, at known times.
async fn everything(disk: &Disk) {
    let recorder = Recorder::at(disk.clone(), 1_800_000_000_000).expect("it can be written");
    let kind = KindInfo::new("", "v1", "Secret", "secrets").namespaced(true);
    let mut line = list("/api/v1/secrets?watch=true&resourceVersion=5");
    line.kind = Some((&kind).into());
    let mut watch = recorder.begin(line, false);
    pass(Duration::from_millis(2)).await;
    watch.answer(ok());
    watch.chunk(b"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\"},");
    pass(Duration::from_millis(1_500)).await;
    watch.chunk(b"\"data\":{\"key\":\"c2VjcmV0\"}}}\n{\"type\":");
    watch.failed("connection reset");
    let mut refused = recorder.begin(list("/api/v1/pods"), false);
    let head = Head { status: 429, content_type: Some("application/json".into()), retry_after: Some(1) };
    refused.answer(head);
    refused.chunk(b"{\"kind\":\"Status\",\"code\":429}");
    refused.end();
    let mut logs = recorder.begin(list("/api/v1/namespaces/a/pods/b/log"), false);
    logs.answer(Head { content_type: Some("text/plain".into()), ..ok() });
    logs.chunk(b"a line of a log");
    logs.end();
    drop(recorder.begin(list("/version"), false));
    recorder.finish().expect("it is written");
}

#[tokio::test(start_paused = true)]
async fn the_golden_file_is_read_and_written_as_ever() {
    let disk = Disk::default();
    everything(&disk).await;
    if std::env::var_os("KUBE_INFORMER_RECORD").is_some() {
        std::fs::write(GOLDEN, &*disk.written.lock()).expect("it is written");
    }
    let golden = std::fs::read(GOLDEN).expect("the golden file");
    // How well it is packed may change with zstd; what is packed may not.
    assert_eq!(file::read(&golden).expect("a recording").records, disk.contents().records);
    let mut text = Vec::new();
    file::read(&golden).expect("a recording").records.iter().for_each(|record| record.write(&mut text));
    let text = String::from_utf8(text).expect("text");
    let page = include_str!("../../../../docs/recording.md");
    assert!(page.contains(text.trim_end()), "the page shows what is in the golden file:\n{text}");
}

#[tokio::test(start_paused = true)]
async fn a_frame_holds_a_second_and_is_written_by_itself() {
    let disk = Disk::default();
    let recorder = Recorder::to_writer(disk.clone()).expect("it can be written");
    let mut tape = recorder.begin(list("/api/v1/pods?watch=true"), false);
    tape.answer(ok());
    assert_eq!(disk.contents().records.len(), 0);
    pass(Duration::from_millis(2_100)).await;
    assert_eq!(disk.contents().records.len(), 3, "nothing else happened, and it is written");
    for _ in 0..10 {
        tape.chunk(b"{}");
        pass(Duration::from_millis(250)).await;
    }
    let frames = frames(&disk.written.lock());
    assert!((3..=5).contains(&frames), "{frames} frames for 2.5 s");
    // The program dies: a second is lost at most.
    assert!(disk.contents().records.len() >= 3 + 6);
    drop((tape, recorder));
    let all = disk.contents();
    assert!(!all.is_cut && all.records.len() == 3 + 10 + 1, "{}", all.records.len());
    assert_eq!(all.records.last().map(|record| &record.what), Some(&What::Left));
}

#[tokio::test(start_paused = true)]
async fn much_in_a_second_is_more_than_a_frame() {
    let disk = Disk::default();
    let recorder = Recorder::to_writer(disk.clone()).expect("it can be written");
    let mut tape = recorder.begin(list("/api/v1/pods?watch=true"), false);
    tape.answer(ok());
    let event = format!("{{\"a\":\"{}\"}}", "b".repeat(100_000));
    (0..25).for_each(|_| tape.chunk(event.as_bytes()));
    assert_eq!(frames(&disk.written.lock()), 2);
    let recorded = recorder.finish().expect("it is written");
    assert_eq!((recorded.requests, recorded.documents, recorded.failures), (1, 25, 0));
    assert_eq!((recorded.bytes, recorded.hidden), (25 * event.len() as u64, 0));
    assert_eq!(recorded.written, disk.written.lock().len() as u64);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_full_ends_the_recording_and_nothing_else() {
    let disk = Disk::default();
    let recorder = Recorder::to_writer(disk.clone()).expect("it can be written");
    pass(Duration::from_millis(1_100)).await;
    *disk.full.lock() = true;
    let mut tape = recorder.begin(list("/api/v1/pods?watch=true"), false);
    tape.answer(ok());
    assert!(recorder.check().is_ok());
    pass(Duration::from_millis(2_100)).await;
    let error = recorder.check().unwrap_err();
    assert_eq!(error.to_string(), "no space left on device");
    tape.chunk(b"{}");
    tape.end();
    assert!(recorder.finish().is_err());
    assert_eq!(disk.contents().records.len(), 1, "what was written before can be read");
}

#[tokio::test(start_paused = true)]
async fn what_a_refused_write_quotes_is_not_written() {
    let refused = br#"{"kind":"Status","code":422,"message":"Invalid value: \"hush\""}"#;
    for (method, quotes) in [("PATCH", false), ("PUT", false), ("POST", false), ("GET", true)] {
        let disk = Disk::default();
        let recorder = Recorder::to_writer(disk.clone()).expect("it can be written");
        let line = RequestLine { method: method.to_owned(), ..list("/api/v1/namespaces/a/pods/b") };
        let mut tape = recorder.begin(line, false);
        tape.answer(Head { status: 422, ..Head::default() });
        tape.chunk(refused);
        tape.end();
        recorder.finish().expect("it is written");
        let records = format!("{:?}", disk.contents().records);
        assert_eq!(records.contains("hush"), quotes, "{method}: {records}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_happens_after_the_end_is_not_recorded() {
    let disk = Disk::default();
    let recorder = Recorder::to_writer(disk.clone()).expect("it can be written");
    let mut tape = recorder.begin(list("/api/v1/pods?watch=true"), false);
    recorder.finish().expect("it is written");
    tape.answer(ok());
    drop(tape);
    assert_eq!(disk.contents().records.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_at_which_recording_panics_breaks_off_and_is_named_and_the_others_go_on() {
    let disk = Disk::default();
    let recorder = Recorder::to_writer(disk.clone()).expect("it can be written");
    for _ in 0..2 {
        let mut tape = recorder.begin(list("/api/v1/pods?watch=true"), false);
        tape.answer(ok());
        tape.guarded(|_tape| panic!("hush"));
        tape.chunk(b"{\"a\":\"hush\"}");
        tape.end();
    }
    let mut other = recorder.begin(list("/api/v1/nodes"), false);
    other.answer(ok());
    other.chunk(b"{\"items\":[]}");
    other.end();
    assert_eq!(recorder.lost(), ["GET /api/v1/pods"]);
    let recorded = recorder.finish().expect("the others are written");
    assert_eq!((recorded.requests, recorded.lost, recorded.failures), (3, 2, 0));
    let records = disk.contents().records;
    let failed = records.iter().filter(|record| matches!(record.what, What::Failed(_))).count();
    let ended = records.iter().filter(|record| record.what == What::End).count();
    assert_eq!((failed, ended), (2, 1));
    assert!(!format!("{records:?}").contains("hush"), "{records:?}");
}

/// What a recording is written to, which panics.
struct Panics(usize);

impl Write for Panics {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 -= 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_panics_ends_the_recording_and_nothing_else() {
    // The header can be written.
    let recorder = Recorder::to_writer(Panics(1)).expect("it can be written");
    let mut tape = recorder.begin(list("/api/v1/pods?watch=true"), false);
    tape.answer(ok());
    pass(Duration::from_millis(2_100)).await;
    assert_eq!(recorder.check().unwrap_err().to_string(), "what writes the recording panicked");
    tape.chunk(b"{}");
    tape.end();
    assert!(recorder.finish().is_err());
}

#[tokio::test]
async fn a_file_is_new_and_its_owners_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.recording");
    let recorder = Recorder::create(&path).expect("it is created");
    assert_eq!(Recorder::create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    recorder.finish().expect("it is written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// How many frames there are after the header.
fn frames(file: &[u8]) -> usize {
    let mut rest = &file[header().len()..];
    let mut count = 0;
    while !rest.is_empty() {
        rest = &rest[zstd_safe::find_frame_compressed_size(rest).expect("a frame")..];
        count += 1;
    }
    count
}
