use super::*;

#[test]
fn each_controller_has_its_own_name_in_metrics_as_long_as_it_runs() {
    let name: Arc<str> = "name-of-this-test".into();
    let first = Name::take(&name);
    let (second, third) = (Name::take(&name), Name::take(&name));
    assert_eq!(
        [first.label(), second.label(), third.label()].map(|label| label.replace(&*name, "it")),
        ["it", "it#2", "it#3"]
    );
    drop(second);
    assert_eq!(Name::take(&name).label(), "name-of-this-test#2");
    drop((first, third));
    assert_eq!(Name::take(&name).label(), "name-of-this-test");
    assert!(!TAKEN.lock().contains_key(&name));
}
