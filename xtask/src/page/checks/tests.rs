use anyhow::anyhow;

use super::*;

#[test]
fn what_fails_is_not_counted() {
    let mut passed = Passed::default();
    passed.count(Ok(())).unwrap();
    assert!(passed.count(Err(anyhow!("no"))).is_err());
    passed.count(Ok(())).unwrap();
    assert_eq!(passed.to_string(), "2 checks");
}
