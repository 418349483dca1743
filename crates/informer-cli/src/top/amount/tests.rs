use super::*;

#[test]
fn counts_fit_into_a_column() {
    let all = [0, 9_999, 10_000, 12_345, 999_949, 999_950, 4_520_000, 999_949_999, 1_200_000_000];
    let told = ["0", "9999", "10.0k", "12.3k", "999.9k", "1.0M", "4.5M", "999.9M", "1.2G"];
    assert_eq!(all.map(count), told);
}

#[test]
fn bytes_have_units() {
    let all = [0, 1_023, 1_024, 1_258_291, 10 << 20, (1 << 20) - 1, 34 << 30, 5 << 40, 5_000 << 40];
    let told = ["0 B", "1023 B", "1.0 KiB", "1.2 MiB", "10 MiB", "1.0 MiB", "34 GiB", "5.0 TiB", "5000 TiB"];
    assert_eq!(all.map(bytes), told);
}

#[test]
fn rates_are_short() {
    let all = [0.0, 0.01, 0.3, 9.94, 9.96, 999.4, 999.6, 1_500.0, 123_456.0];
    assert_eq!(all.map(rate), ["0", "<0.1", "0.3", "9.9", "10", "999", "1.0k", "1.5k", "123k"]);
}

#[test]
fn times_are_those_of_the_other_commands() {
    assert_eq!([0.9, 59.9, 192.0, 7_260.0].map(time), ["0s", "59s", "3m12s", "121m"]);
    let all = [0.0, 0.0004, 0.0123, 0.9996, 1.52, 42.0];
    assert_eq!(all.map(short_time), ["–", "<1ms", "12ms", "1.0s", "1.5s", "42s"]);
    assert_eq!(known(None, time), "–");
}
