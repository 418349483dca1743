// controller-runtime as a client of the benchmark: a controller of ReplicaSets that own pods, each run of which reads two
// fields of the ReplicaSet and of each of its pods. Options, phases and report are those of the Rust clients.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"kube-informer/bench/client-go/meter"
)

const ownerUID = "metadata.ownerReferences.uid"

type options struct {
	server, commands, mode, changes   string
	objects, owned, events, hot, rate uint64
	heap, podsChange                  bool
}

// report is printed as one line of JSON.
type report struct {
	Objects    uint64         `json:"objects"`
	VersionSum uint64         `json:"version_sum"`
	Sync       meter.Phase    `json:"sync"`
	Events     meter.Phase    `json:"events"`
	Calls      uint64         `json:"calls"`
	Reconciles counts         `json:"reconciles"`
	Latency    *meter.Latency `json:"latency"`
}

func main() {
	o := options{}
	flag.StringVar(&o.server, "server", "", "the replay server")
	flag.StringVar(&o.commands, "commands", "", "where it takes commands, if not there")
	flag.StringVar(&o.mode, "mode", "", "no-copies to read objects without copying them")
	flag.StringVar(&o.changes, "controller", "pods", "the plural of the kind that changes")
	flag.Uint64Var(&o.objects, "objects", 0, "how many ReplicaSets there are")
	flag.Uint64Var(&o.owned, "owned", 0, "how many pods each owns")
	flag.Uint64Var(&o.events, "events", 0, "how many events")
	flag.Uint64Var(&o.hot, "hot", 0, "among how many objects")
	flag.Uint64Var(&o.rate, "rate", 0, "how many a second")
	flag.BoolVar(&o.heap, "heap", false, "measure the live heap, which takes a collection after each phase")
	flag.Parse()
	o.podsChange = o.changes == "pods"
	// A run that does not end well says why itself.
	ctrl.SetLogger(logr.Discard())
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "controller-runtime:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "true"); err != nil {
		return err
	}
	server := &meter.Server{Address: cmp.Or(o.commands, o.server)}
	noCopies := o.mode == "no-copies"
	m := meter.Start(o.heap)
	manager, err := ctrl.NewManager(&rest.Config{Host: o.server, QPS: -1}, ctrl.Options{
		Scheme:         clientgoscheme.Scheme,
		Metrics:        metricsserver.Options{BindAddress: "0"},
		Cache:          cache.Options{DefaultUnsafeDisableDeepCopy: &noCopies},
		MapperProvider: mapper,
	})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := manager.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, ownerUID, owners); err != nil {
		return err
	}
	reconciler := &reconciler{Client: manager.GetClient(), podsChange: o.podsChange, reconciles: newReconciles(o)}
	controller := ctrl.NewControllerManagedBy(manager).For(&appsv1.ReplicaSet{}).Owns(&corev1.Pod{})
	if err := controller.Complete(reconciler); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	r, err := reconciler.reconciles.measure(o, server, m, ended)
	if err != nil {
		return err
	}
	sets, pods := &appsv1.ReplicaSetList{}, &corev1.PodList{}
	if err := manager.GetClient().List(ctx, sets); err != nil {
		return err
	}
	if err := manager.GetClient().List(ctx, pods); err != nil {
		return err
	}
	for i := range sets.Items {
		r.VersionSum += versionOf(&sets.Items[i])
	}
	for i := range pods.Items {
		r.VersionSum += versionOf(&pods.Items[i])
	}
	r.Objects = uint64(len(sets.Items) + len(pods.Items))
	return json.NewEncoder(os.Stdout).Encode(r)
}

// mapper knows the two kinds without asking the server, which cannot tell.
func mapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []schema.GroupVersionKind{
		appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
		corev1.SchemeGroupVersion.WithKind("Pod"),
	} {
		mapper.Add(kind, meta.RESTScopeNamespace)
	}
	return mapper, nil
}

func owners(object client.Object) []string {
	var uids []string
	for _, owner := range object.GetOwnerReferences() {
		uids = append(uids, string(owner.UID))
	}
	return uids
}

type reconciler struct {
	client.Client
	podsChange bool
	reconciles *reconciles
}

var sink atomic.Uint64

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	begun := now()
	set := &appsv1.ReplicaSet{}
	if err := r.Get(ctx, request.NamespacedName, set); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	pods := &corev1.PodList{}
	namespace, owned := client.InNamespace(set.Namespace), client.MatchingFields{ownerUID: string(set.UID)}
	if err := r.List(ctx, pods, namespace, owned); err != nil {
		return ctrl.Result{}, err
	}
	read := uint64(*set.Spec.Replicas + set.Status.ReadyReplicas)
	var newest uint64
	for i := range pods.Items {
		pod := &pods.Items[i]
		read += uint64(len(pod.Spec.NodeName) + len(pod.Status.Phase))
		newest = max(newest, versionOf(pod))
	}
	sink.Store(read)
	if !r.podsChange {
		newest = versionOf(set)
	}
	r.reconciles.note(begun, string(set.UID), uint64(len(pods.Items)), newest)
	return ctrl.Result{}, nil
}

func versionOf(object client.Object) uint64 {
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return version
}
