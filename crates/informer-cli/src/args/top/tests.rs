use clap::Parser as _;

use super::*;
use crate::args::Command;

#[test]
fn the_interval_has_bounds() {
    assert_eq!(interval("1s"), Ok(Duration::from_secs(1)));
    assert_eq!(interval("200ms"), Ok(Duration::from_millis(200)));
    assert_eq!(interval("1m"), Ok(Duration::from_secs(60)));
    for wrong in ["0", "199ms", "61s", "fast"] {
        assert!(interval(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_running_program_has_its_own_kinds_and_cluster() {
    let said = |more: &[&str]| {
        let words = ["informer", "top"].iter().chain(more).copied();
        Command::try_parse_from(words).map(drop).map_err(|error| error.to_string())
    };
    let endpoint = ["--endpoint", "http://localhost:9090"];
    assert_eq!(said(&endpoint), Ok(()));
    assert_eq!(said(&["pods", "-n", "shop", "--embedded", "--once"]), Ok(()));
    for more in
        [&["pods"][..], &["-n", "shop"], &["-A"], &["-l", "a=b"], &["--embedded"], &["--context", "c"]]
    {
        let both = [&endpoint[..], more].concat();
        assert!(said(&both).is_err_and(|why| why.contains("cannot be used with")), "{both:?}");
    }
    assert!(said(&[]).is_err_and(|why| why.contains("KIND")), "one of them is needed");
}
