use super::*;

fn labels(value: &str) -> Vec<(Cow<'static, str>, Cow<'static, str>)> {
    vec![("app".into(), "web".into()), ("id".into(), value.to_owned().into())]
}

#[test]
fn equal_values_are_one() {
    let interner = Interner::new(false);
    let (a, b) = (interner.labels(&labels("1")), interner.labels(&labels("1")));
    assert!(std::ptr::eq(a.get("app").unwrap(), b.get("app").unwrap()));
    let c = interner.labels(&labels("2"));
    assert_eq!(c.get("id"), Some("2"));
    assert!(std::ptr::eq(a.get("app").unwrap(), c.get("app").unwrap()), "texts are shared between sets");
    assert!(Arc::ptr_eq(&interner.text("default"), &interner.text("default")));
    let owner = || [Owner { kind: "ReplicaSet".into(), name: "web".into(), ..Owner::default() }];
    assert!(Arc::ptr_eq(&interner.owners(&owner()), &interner.owners(&owner())));
    assert!(Arc::ptr_eq(&interner.owners(&[]), &interner.owners(&[])));
    let finalizers = || ["a".into(), "b".into()];
    assert!(Arc::ptr_eq(&interner.finalizers(&finalizers()), &interner.finalizers(&finalizers())));
}

#[test]
fn churn_of_unique_labels_leaks_nothing() {
    let interner = Interner::new(false);
    let kept: Vec<LabelSet> = (0..100).map(|i| interner.labels(&labels(&format!("kept-{i}")))).collect();
    for i in 0..20_000 {
        drop(interner.labels(&labels(&i.to_string())));
    }
    let tables = interner.tables.as_ref().unwrap().lock();
    assert!(tables.labels.table.len() <= 256, "{}", tables.labels.table.len());
    assert!(tables.texts.table.len() <= 600, "{}", tables.texts.table.len());
    assert!(tables.labels.table.capacity() <= 512);
    drop(tables);
    assert_eq!(kept[7], interner.labels(&labels("kept-7")));
    assert!(std::ptr::eq(kept[7].get("id").unwrap(), interner.labels(&labels("kept-7")).get("id").unwrap()));
}

#[test]
fn what_many_deleted_records_had_alone_goes_although_nothing_new_comes() {
    let interner = Interner::new(false);
    let mut kept: Vec<LabelSet> = (0..20_000).map(|i| interner.labels(&labels(&i.to_string()))).collect();
    interner.records(kept.len());
    kept.truncate(100);
    interner.records(kept.len());
    let tables = interner.tables.as_ref().unwrap().lock();
    assert_eq!(tables.labels.table.len(), 100);
    assert!(tables.texts.table.len() <= 103, "{}", tables.texts.table.len());
    assert!(tables.texts.table.capacity() <= 1_024);
}
