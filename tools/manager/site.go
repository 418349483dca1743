package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var version = schema.GroupVersion{Group: "manager.example.com", Version: "v1"}

// Site is the custom resource of the reconciler.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec   `json:"spec,omitempty"`
	Status            SiteStatus `json:"status,omitempty"`
}

type SiteSpec struct {
	Replicas int32             `json:"replicas"`
	Image    string            `json:"image,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

type SiteStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Image              string             `json:"image,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

func (s *Site) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if s.Spec.Settings != nil {
		out.Spec.Settings = map[string]string{}
		for name, value := range s.Spec.Settings {
			out.Spec.Settings[name] = value
		}
	}
	out.Status.Conditions = append([]metav1.Condition(nil), s.Status.Conditions...)
	return &out
}

func (l *SiteList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Site))
	}
	return &out
}

// definition is its CustomResourceDefinition.
func definition() map[string]any {
	typed := func(name string) map[string]any { return map[string]any{"type": name} }
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	texts := map[string]any{"type": "object", "additionalProperties": typed("string")}
	image := map[string]any{"type": "string", "default": "web:1"}
	replicas := map[string]any{"type": "integer", "format": "int32", "minimum": int64(0)}
	condition := object(map[string]any{
		"type": typed("string"), "status": typed("string"), "reason": typed("string"), "message": typed("string"),
		"observedGeneration": map[string]any{"type": "integer", "format": "int64"},
		"lastTransitionTime": map[string]any{"type": "string", "format": "date-time"},
	})
	condition["required"] = []any{"type", "status"}
	conditions := map[string]any{
		"type": "array", "items": condition,
		"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"type"},
	}
	spec := object(map[string]any{"replicas": replicas, "image": image, "settings": texts})
	status := object(map[string]any{
		"observedGeneration": map[string]any{"type": "integer", "format": "int64"},
		"image":              typed("string"), "conditions": conditions,
	})
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "sites." + version.Group},
		"spec": map[string]any{
			"group": version.Group, "scope": "Namespaced",
			"names": map[string]any{"plural": "sites", "singular": "site", "kind": "Site", "listKind": "SiteList"},
			"versions": []any{map[string]any{
				"name": version.Version, "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{
					"openAPIV3Schema": object(map[string]any{"spec": spec, "status": status}),
				},
			}},
		},
	}
}
