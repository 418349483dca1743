// The manager runs a controller-runtime manager with one reconciler and does to its objects what users do. It prints what
// is then stored, as JSON lines on standard output, one object or list each; its log is standard error.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const patience = time.Minute

func main() {
	// controller-runtime has the flag --kubeconfig.
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run() error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	// The embedded server speaks JSON only.
	config.ContentType = runtime.ContentTypeJSON
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	scheme.AddKnownTypes(version, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(scheme, version)
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	user := scenario{direct}
	if err := user.define(ctx); err != nil {
		return err
	}
	stopped := make(chan error, 1)
	managing, stop := context.WithCancel(ctx)
	defer stop()
	go func() { stopped <- manage(managing, config, scheme) }()
	done := make(chan error, 1)
	go func() { done <- user.play(ctx) }()
	select {
	case err = <-stopped:
		return fmt.Errorf("it has ended: %w", err)
	case err = <-done:
	}
	stop()
	if ended := <-stopped; err == nil {
		err = ended
	}
	if err != nil {
		return err
	}
	return user.show(ctx, "coordination.k8s.io/v1", "Lease", "manager")
}

// manage runs the manager until the context ends.
func manage(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) error {
	leaseDuration, renewDeadline := 90*time.Second, 60*time.Second
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "manager",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		// A server on a busy machine may not answer for a while.
		LeaseDuration: &leaseDuration,
		RenewDeadline: &renewDeadline,
	})
	if err != nil {
		return err
	}
	reconciler := &reconciler{Client: manager.GetClient(), recorder: manager.GetEventRecorder("site-controller")}
	controller := ctrl.NewControllerManagedBy(manager).For(&Site{})
	controller = controller.Owns(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Owns(&corev1.Service{})
	if err := controller.Complete(reconciler); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// scenario is what users do.
type scenario struct{ client.Client }

func (s scenario) define(ctx context.Context) error {
	if err := s.Create(ctx, &unstructured.Unstructured{Object: definition()}); err != nil {
		return err
	}
	return s.until(ctx, func(ctx context.Context) (bool, error) {
		err := s.List(ctx, &SiteList{})
		return err == nil, nil
	})
}

func (s scenario) play(ctx context.Context) error {
	site := &Site{ObjectMeta: metav1.ObjectMeta{Name: "front", Namespace: "default"}}
	site.Spec = SiteSpec{Replicas: 2, Settings: map[string]string{"color": "green"}}
	if err := s.Create(ctx, site); err != nil {
		return err
	}
	if err := s.untilMade(ctx, 1); err != nil {
		return err
	}
	if err := s.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
		return err
	}
	before := site.DeepCopyObject().(*Site)
	site.Spec = SiteSpec{Replicas: 3, Image: "web:2", Settings: map[string]string{"color": "blue", "size": "9"}}
	if err := s.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	if err := s.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); !errors.IsConflict(err) {
		return fmt.Errorf("an old version is no conflict: %w", err)
	}
	if err := s.untilMade(ctx, 2); err != nil {
		return err
	}
	// Who deletes what a Site owns gets it again.
	settings := &corev1.ConfigMap{ObjectMeta: site.ObjectMeta}
	if err := s.Get(ctx, client.ObjectKeyFromObject(site), settings); err != nil {
		return err
	}
	uid := settings.UID
	if err := s.Delete(ctx, settings, client.Preconditions{UID: &uid}); err != nil {
		return err
	}
	again := func(ctx context.Context) (bool, error) {
		err := s.Get(ctx, client.ObjectKeyFromObject(site), settings)
		return err == nil && settings.UID != uid, client.IgnoreNotFound(err)
	}
	if err := s.until(ctx, again); err != nil {
		return err
	}
	if err := s.until(ctx, s.hasEvents); err != nil {
		return err
	}
	kinds := []schema.GroupVersionKind{
		version.WithKind("Site"), appsv1.SchemeGroupVersion.WithKind("Deployment"),
		corev1.SchemeGroupVersion.WithKind("ConfigMap"), corev1.SchemeGroupVersion.WithKind("Service"),
	}
	for _, kind := range kinds {
		if err := s.show(ctx, kind.GroupVersion().String(), kind.Kind, "front"); err != nil {
			return err
		}
	}
	if err := s.show(ctx, "events.k8s.io/v1", "EventList", ""); err != nil {
		return err
	}
	if err := s.Delete(ctx, site); err != nil {
		return err
	}
	return s.until(ctx, func(ctx context.Context) (bool, error) {
		err := s.Get(ctx, client.ObjectKeyFromObject(site), site)
		return errors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// untilMade waits until the reconciler has dealt with that generation.
func (s scenario) untilMade(ctx context.Context, generation int64) error {
	return s.until(ctx, func(ctx context.Context) (bool, error) {
		site := &Site{}
		err := s.Get(ctx, client.ObjectKey{Namespace: "default", Name: "front"}, site)
		return site.Status.ObservedGeneration == generation && site.Status.Image == site.Spec.Image, err
	})
}

// hasEvents says whether those of both generations and the one of the leader election are stored.
func (s scenario) hasEvents(ctx context.Context) (bool, error) {
	list := &corev1.EventList{}
	err := s.List(ctx, list, client.InNamespace("default"))
	stored := map[string]int{}
	for _, event := range list.Items {
		stored[event.InvolvedObject.Kind]++
	}
	return stored["Site"] >= 2 && stored["Lease"] >= 1, err
}

func (s scenario) until(ctx context.Context, holds wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, holds)
}

// show prints an object, or the list of a kind.
func (s scenario) show(ctx context.Context, apiVersion, kind, name string) error {
	var shown map[string]any
	if name == "" {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(apiVersion)
		list.SetKind(kind)
		if err := s.List(ctx, list, client.InNamespace("default")); err != nil {
			return err
		}
		shown = list.UnstructuredContent()
	} else {
		object := &unstructured.Unstructured{}
		object.SetAPIVersion(apiVersion)
		object.SetKind(kind)
		if err := s.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, object); err != nil {
			return err
		}
		shown = object.Object
	}
	return json.NewEncoder(os.Stdout).Encode(shown)
}
