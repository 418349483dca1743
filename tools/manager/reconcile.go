package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "manager.example.com/cleanup"

// reconciler makes what a Site asks for: a Deployment by CreateOrUpdate, a ConfigMap by CreateOrPatch, a Service by
// server-side apply.
type reconciler struct {
	client.Client
	recorder events.EventRecorder
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &Site{}
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, site)
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		if err := r.Update(ctx, site); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.makeDeployment(ctx, site); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.makeSettings(ctx, site); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.makeService(ctx, site); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, site)
}

func (r *reconciler) makeDeployment(ctx context.Context, site *Site) error {
	labels := map[string]string{"site": site.Name}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		deployment.Labels = labels
		deployment.Spec.Replicas = &site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		containers := &deployment.Spec.Template.Spec.Containers
		if len(*containers) == 0 {
			*containers = []corev1.Container{{Name: "web"}}
		}
		(*containers)[0].Image = site.Spec.Image
		return controllerutil.SetControllerReference(site, deployment, r.Scheme())
	})
	return err
}

func (r *reconciler) makeSettings(ctx context.Context, site *Site) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, settings, func() error {
		settings.Data = site.Spec.Settings
		return controllerutil.SetControllerReference(site, settings, r.Scheme())
	})
	return err
}

func (r *reconciler) makeService(ctx context.Context, site *Site) error {
	owner := metav1apply.OwnerReference().WithAPIVersion(version.String()).WithKind("Site")
	owner = owner.WithName(site.Name).WithUID(site.UID).WithController(true).WithBlockOwnerDeletion(true)
	port := corev1apply.ServicePort().WithName("http").WithPort(80).WithProtocol(corev1.ProtocolTCP)
	spec := corev1apply.ServiceSpec().WithClusterIP("None").WithPorts(port)
	spec = spec.WithSelector(map[string]string{"site": site.Name})
	service := corev1apply.Service(site.Name, site.Namespace).WithOwnerReferences(owner).WithSpec(spec)
	return r.Apply(ctx, service, client.FieldOwner("site-controller"), client.ForceOwnership)
}

// report says in the status what has been done: the condition by an update, the image by a patch.
func (r *reconciler) report(ctx context.Context, site *Site) error {
	if site.Status.ObservedGeneration == site.Generation && site.Status.Image == site.Spec.Image {
		return nil
	}
	site.Status.ObservedGeneration = site.Generation
	meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Made", Message: "all is there",
		ObservedGeneration: site.Generation,
	})
	if err := r.Status().Update(ctx, site); err != nil {
		return err
	}
	before := site.DeepCopyObject().(*Site)
	site.Status.Image = site.Spec.Image
	if err := r.Status().Patch(ctx, site, client.MergeFrom(before)); err != nil {
		return err
	}
	r.recorder.Eventf(site, nil, corev1.EventTypeNormal, "Made", "Make", "generation %d", site.Generation)
	return nil
}

func (r *reconciler) cleanUp(ctx context.Context, site *Site) error {
	if !controllerutil.ContainsFinalizer(site, finalizer) {
		return nil
	}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	if err := client.IgnoreNotFound(r.Delete(ctx, settings)); err != nil {
		return err
	}
	before := site.DeepCopyObject().(*Site)
	controllerutil.RemoveFinalizer(site, finalizer)
	return r.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
