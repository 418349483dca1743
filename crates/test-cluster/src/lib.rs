//! Starts a real etcd and kube-apiserver on loopback for the end-to-end tests.
