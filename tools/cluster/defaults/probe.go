package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A struct somewhere in the objects of a kind.
type node struct {
	goType reflect.Type
	// The names of fields; `[]` or `{}` after those of lists and maps.
	path   []string
	parent *node
}

// All structs of a type that may have defaults, those that are around others first.
func nodes(goType reflect.Type) []*node {
	var found []*node
	var walk func(at *node)
	walk = func(at *node) {
		for around := at.parent; around != nil; around = around.parent {
			if around.goType == at.goType {
				return
			}
		}
		found = append(found, at)
		for _, field := range fields(at.goType) {
			inner, suffix := field.goType, ""
			switch inner.Kind() {
			case reflect.Slice:
				inner, suffix = inner.Elem(), "[]"
			case reflect.Map:
				inner, suffix = inner.Elem(), "{}"
			}
			if isStruct(inner) && inner != reflect.TypeFor[metav1.ObjectMeta]() {
				walk(&node{inner, append(slices.Clone(at.path), field.name+suffix), at})
			}
		}
	}
	walk(&node{goType: goType})
	return found
}

// An image that is not the latest one.
const tagged = "sentinel:1"

// Tries what becomes of objects of a kind.
type prober struct {
	kind      kind
	constants constants
	// What does not fit into the table.
	said map[string]bool
}

// A field that is set while others are looked at.
type setting struct {
	// From the struct that is looked at, as in conditions.
	name  string
	at    *node
	field string
	value any
}

// The defaults of the fields of a struct by name, and the struct as it came out; nil if it was removed.
func (p *prober) defaults(at *node, settings ...setting) (map[string]any, map[string]any) {
	object := map[string]any{"apiVersion": p.kind.gvk.GroupVersion().String(), "kind": p.kind.gvk.Kind}
	enter(object, at.path)
	given := map[string]bool{}
	for _, setting := range settings {
		enter(object, setting.at.path)[setting.field] = setting.value
		if setting.at == at {
			given[setting.field] = true
		}
	}
	out := find(p.roundTrip(object), at.path)
	if out == nil {
		return nil, nil
	}
	zeros, defaults := always(at.goType), map[string]any{}
	for _, field := range fields(at.goType) {
		value, is := out[field.name]
		zero, isZero := zeros[field.name]
		// A struct that is no pointer is always there, and looked at by itself.
		isPart := !field.isPointer && isStruct(field.goType)
		if is && !isPart && !given[field.name] && !(isZero && reflect.DeepEqual(value, zero)) {
			defaults[field.name] = value
		}
		text, _ := value.(string)
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			p.say(at, "%s is the time", field.name)
			delete(defaults, field.name)
		}
	}
	// It comes from `stringData`, in another form.
	if p.kind.gvk.Kind == "Secret" {
		delete(defaults, "data")
	}
	// Kind and version are no defaults.
	if len(at.path) == 0 {
		delete(defaults, "kind")
		delete(defaults, "apiVersion")
	}
	return defaults, out
}

// Decodes and encodes an object as it is done for a request, and again as it is done when it is read from the storage.
func (p *prober) roundTrip(object map[string]any) map[string]any {
	text, err := json.Marshal(object)
	for range 2 {
		var decoded runtime.Object
		if err == nil {
			decoded, err = runtime.Decode(p.kind.codec, text)
		}
		if err == nil {
			text, err = runtime.Encode(p.kind.codec, decoded)
		}
	}
	out := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v of %v", p.kind.name(), err, object))
	}
	return out
}

// The struct at a path, which is made if it is missing.
func enter(object map[string]any, path []string) map[string]any {
	for _, step := range path {
		name, isList := strings.CutSuffix(step, "[]")
		name, isMap := strings.CutSuffix(name, "{}")
		var inner map[string]any
		switch there := object[name].(type) {
		case map[string]any:
			inner = there
			if isMap {
				inner = there["key"].(map[string]any)
			}
		case []any:
			inner = there[0].(map[string]any)
		default:
			inner = map[string]any{}
			switch {
			case isList:
				object[name] = []any{inner}
			case isMap:
				object[name] = map[string]any{"key": inner}
			default:
				object[name] = inner
			}
		}
		object = inner
	}
	return object
}

func find(object map[string]any, path []string) map[string]any {
	for _, step := range path {
		name, _ := strings.CutSuffix(step, "[]")
		name, isMap := strings.CutSuffix(name, "{}")
		there := object[name]
		if list, isList := there.([]any); isList && len(list) > 0 {
			there = list[0]
		}
		inner, _ := there.(map[string]any)
		if isMap {
			inner, _ = inner["key"].(map[string]any)
		}
		if inner == nil {
			return nil
		}
		object = inner
	}
	return object
}

// What a field is set to, to see what depends on it: values that mean something, and in the end one that means nothing.
func (p *prober) values(owner reflect.Type, field field) []any {
	switch {
	case field.goType == reflect.TypeFor[intstr.IntOrString]():
		return []any{7777.0}
	case field.goType == reflect.TypeFor[resource.Quantity]():
		return []any{"7777"}
	case isStruct(field.goType) && field.isPointer:
		return []any{map[string]any{}}
	}
	switch field.goType.Kind() {
	case reflect.String:
		var values []any
		for _, value := range p.constants.of(owner, field) {
			if value != "" {
				values = append(values, value)
			}
		}
		if field.name == "image" || field.name == "reference" {
			values = append(values, tagged)
		}
		return append(values, "sentinel")
	case reflect.Bool:
		if field.isPointer {
			return []any{false, true}
		}
		return []any{true}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return []any{7777.0}
	case reflect.Slice:
		switch element := field.goType.Elem(); {
		case element.Kind() == reflect.String:
			return []any{[]any{"sentinel"}}
		case isStruct(element):
			return []any{[]any{map[string]any{}}}
		}
	case reflect.Map:
		switch element := field.goType.Elem(); {
		case element.Kind() == reflect.String:
			return []any{map[string]any{"sentinel": "sentinel"}}
		case element == reflect.TypeFor[resource.Quantity]():
			return []any{map[string]any{"cpu": "7777"}}
		}
	}
	return nil
}

// What the defaults of a struct depend on may be in the struct itself or in the two around it.
func (p *prober) settings(at *node) []setting {
	var found []setting
	prefix := ""
	for from, up := at, 0; from != nil && up < 3; from, up = from.parent, up+1 {
		for _, field := range fields(from.goType) {
			if len(from.path) == 0 && (field.name == "kind" || field.name == "apiVersion") {
				continue
			}
			if up > 0 && len(at.path) > len(from.path) && strings.TrimRight(at.path[len(from.path)], "[]{}") == field.name {
				continue
			}
			name := prefix + field.name
			if _, isAlways := always(from.goType)[field.name]; isAlways && !field.isPointer {
				name += "~"
			}
			for _, value := range p.values(from.goType, field) {
				found = append(found, setting{name, from, field.name, value})
			}
		}
		prefix += "../"
	}
	return found
}

// The lines of a struct, without the kind.
func (p *prober) rules(at *node) []string {
	base, out := p.defaults(at)
	type outcome struct {
		setting  setting
		defaults map[string]any
	}
	var outcomes []outcome
	settings := p.settings(at)
	for _, setting := range settings {
		defaults, there := p.defaults(at, setting)
		if setting.at == at && there != nil && !reflect.DeepEqual(there[setting.field], setting.value) && !isFilled(there[setting.field], setting.value) {
			p.say(at, "%s: %v becomes %v", setting.name, setting.value, there[setting.field])
		}
		for name, value := range defaults {
			switch {
			case value == "Always" && strings.HasSuffix(strings.ToLower(name), "pullpolicy"):
				defaults[name] = map[string]any{"$pull": setting.name}
			default:
				defaults[name] = copied(value, setting)
			}
		}
		outcomes = append(outcomes, outcome{setting, defaults})
	}
	if out == nil {
		p.say(at, "is removed")
	}
	var lines []string
	for _, field := range fields(at.goType) {
		path := strings.Join(append(slices.Clone(at.path), field.name), ".")
		if _, isAlways := always(at.goType)[field.name]; isAlways && !field.isPointer {
			path += "~"
		}
		line := func(condition string, defaults map[string]any) string {
			text := ""
			if value, is := defaults[field.name]; is {
				encoded, err := json.Marshal(value)
				if err != nil {
					panic(err)
				}
				text = string(encoded)
			}
			return fmt.Sprintf("%s\t%s\t%s", path, condition, text)
		}
		same := func(one, other map[string]any) bool { return reflect.DeepEqual(one[field.name], other[field.name]) }
		for rest := outcomes; len(rest) > 0; {
			// All values of one field; the last one is the one that means nothing.
			end := slices.IndexFunc(rest, func(other outcome) bool { return other.setting.name != rest[0].setting.name })
			if end < 0 {
				end = len(rest)
			}
			group := rest[:end]
			rest = rest[end:]
			last := group[end-1]
			if last.setting.at == at && last.setting.field == field.name {
				continue
			}
			for _, one := range group[:end-1] {
				if !reflect.DeepEqual(one.setting.value, tagged) && !same(one.defaults, last.defaults) {
					lines = append(lines, line(fmt.Sprintf("%s=%v", one.setting.name, one.setting.value), one.defaults))
				}
			}
			if !same(last.defaults, base) {
				lines = append(lines, line(last.setting.name, last.defaults))
			}
		}
		if _, is := base[field.name]; is {
			lines = append(lines, line("", base))
		}
	}
	return lines
}

// Whether a value differs from what was set only by what has been added inside it.
func isFilled(value, set any) bool {
	switch set := set.(type) {
	case map[string]any:
		there, is := value.(map[string]any)
		for name, inner := range set {
			is = is && isFilled(there[name], inner)
		}
		return is
	case []any:
		there, is := value.([]any)
		return is && len(there) == len(set) && isFilled(there[0], set[0])
	}
	return reflect.DeepEqual(value, set)
}

// The value with references in place of what it has from a setting.
func copied(value any, from setting) any {
	if reflect.DeepEqual(value, from.value) && isSentinel(from.value) {
		return map[string]any{"$copy": strings.TrimSuffix(from.name, "~")}
	}
	if list, is := from.value.([]any); is && isSentinel(value) && reflect.DeepEqual(list[0], value) {
		return map[string]any{"$first": strings.TrimSuffix(from.name, "~")}
	}
	if list, is := value.([]any); is {
		made := make([]any, len(list))
		for i, item := range list {
			made[i] = copied(item, from)
		}
		return made
	}
	if object, is := value.(map[string]any); is {
		made := map[string]any{}
		for name, item := range object {
			made[name] = copied(item, from)
		}
		return made
	}
	return value
}

func isSentinel(value any) bool {
	text := fmt.Sprint(value)
	return strings.Contains(text, "sentinel") || strings.Contains(text, "7777")
}

func (p *prober) say(at *node, format string, arguments ...any) {
	line := fmt.Sprintf("%s %s: %s\n", p.kind.name(), strings.Join(at.path, "."), fmt.Sprintf(format, arguments...))
	if !p.said[line] {
		p.said[line] = true
		fmt.Fprint(os.Stderr, line)
	}
}
