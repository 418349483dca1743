package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const protobuf = "application/vnd.kubernetes.protobuf"

func config(o options) *rest.Config {
	config := &rest.Config{Host: o.server, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: o.ca}}
	if strings.HasPrefix(o.mode, "protobuf") {
		config.ContentType = protobuf
		config.AcceptContentTypes = protobuf + ",application/json"
	} else {
		config.ContentType = "application/json"
		config.AcceptContentTypes = "application/json"
	}
	return config
}

// build makes the informers, none of them started.
func build(o options) ([]cache.SharedIndexInformer, error) {
	// The gate is read once, when the first informer is made.
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", fmt.Sprint(o.list == "stream")); err != nil {
		return nil, err
	}
	namespaces := []string{metav1.NamespaceAll}
	if o.informers > 1 {
		namespaces = nil
		for number := range o.informers {
			namespaces = append(namespaces, fmt.Sprintf("team-%05d", number))
		}
	}
	var built []cache.SharedIndexInformer
	for _, namespace := range namespaces {
		informer, err := informerOf(o, namespace)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(o.mode, "-stripped") {
			if err := informer.SetTransform(strip); err != nil {
				return nil, err
			}
		}
		built = append(built, informer)
	}
	return built, nil
}

func informerOf(o options, namespace string) (cache.SharedIndexInformer, error) {
	if o.kind == "widgets" {
		client, err := dynamic.NewForConfig(config(o))
		if err != nil {
			return nil, err
		}
		resource := schema.GroupVersionResource{Group: "bench.example.com", Version: "v1", Resource: "widgets"}
		return dynamicinformer.NewFilteredDynamicInformer(client, resource, namespace, 0, nil, nil).Informer(), nil
	}
	client, err := kubernetes.NewForConfig(config(o))
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	core := factory.Core().V1()
	switch o.kind {
	case "pods":
		return core.Pods().Informer(), nil
	case "configmaps":
		return core.ConfigMaps().Informer(), nil
	case "secrets":
		return core.Secrets().Informer(), nil
	case "events":
		return core.Events().Informer(), nil
	case "leases":
		return factory.Coordination().V1().Leases().Informer(), nil
	case "endpointslices":
		return factory.Discovery().V1().EndpointSlices().Informer(), nil
	}
	return nil, fmt.Errorf("there are no %s", o.kind)
}

// strip drops the managedFields, as many controllers do to save memory.
func strip(object any) (any, error) {
	accessor, err := meta.Accessor(object)
	if err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

// compare checks that the server's protobuf says what its JSON says.
func compare(o options) error {
	lists := make([]any, 2)
	for number, mode := range []string{"json", "protobuf"} {
		o.mode = mode
		client, err := kubernetes.NewForConfig(config(o))
		if err != nil {
			return err
		}
		switch o.kind {
		case "pods":
			lists[number], err = client.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
		case "configmaps":
			lists[number], err = client.CoreV1().ConfigMaps("").List(context.Background(), metav1.ListOptions{})
		case "replicasets":
			lists[number], err = client.AppsV1().ReplicaSets("").List(context.Background(), metav1.ListOptions{})
		case "secrets":
			lists[number], err = client.CoreV1().Secrets("").List(context.Background(), metav1.ListOptions{})
		case "events":
			lists[number], err = client.CoreV1().Events("").List(context.Background(), metav1.ListOptions{})
		case "leases":
			lists[number], err = client.CoordinationV1().Leases("").List(context.Background(), metav1.ListOptions{})
		case "endpointslices":
			lists[number], err = client.DiscoveryV1().EndpointSlices("").List(context.Background(), metav1.ListOptions{})
		default:
			return fmt.Errorf("%s have no protobuf", o.kind)
		}
		if err != nil {
			return err
		}
	}
	if pods, ok := lists[0].(*corev1.PodList); ok {
		return comparePods(pods, lists[1].(*corev1.PodList))
	}
	return equal(lists[0], lists[1], o.kind)
}

func comparePods(asJSON, asProtobuf *corev1.PodList) error {
	if len(asJSON.Items) != len(asProtobuf.Items) {
		return fmt.Errorf("%d pods as JSON, %d as protobuf", len(asJSON.Items), len(asProtobuf.Items))
	}
	for i := range asJSON.Items {
		a, b := &asJSON.Items[i], &asProtobuf.Items[i]
		for _, pair := range [][3]any{{a.Spec, b.Spec, "spec"}, {a.Status, b.Status, "status"}, {a.ObjectMeta, b.ObjectMeta, "metadata"}} {
			if err := equal(pair[0], pair[1], fmt.Sprint(pair[2], " of pod ", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// equal compares as text: quantities and raw JSON remember how they were written.
func equal(a, b any, what string) error {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	x, y := asText(a), asText(b)
	if x != y {
		return fmt.Errorf("%s differs:\n%.3000s\n%.3000s", what, x, y)
	}
	return nil
}

func asText(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(text)
}
