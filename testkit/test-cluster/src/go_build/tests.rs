use super::*;

#[test]
fn modules_are_read_from_what_go_prints() {
    let printed = "/cache/etcd: go1.26.8\n\tpath\tgo.etcd.io/etcd/server/v3\n\tmod\tgo.etcd.io/etcd/server/v3\tv3.6.8\th1:a=\n\
        \tdep\tgithub.com/x/y\tv1.0.1\th1:b=\n\tdep\tk8s.io/kms\tv0.0.0\n\t=>\tk8s.io/kms\tv0.36.4\th1:c=\n\
        \tbuild\t-trimpath=true\n";
    assert_eq!(
        modules(printed),
        "go.etcd.io/etcd/server/v3 v3.6.8 h1:a=\ngithub.com/x/y v1.0.1 h1:b=\nk8s.io/kms v0.36.4 h1:c=\n"
    );
}
