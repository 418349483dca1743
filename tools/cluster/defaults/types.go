package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A field of a struct, as JSON has it.
type field struct {
	name string
	// Without the pointer.
	goType    reflect.Type
	isPointer bool
}

// The fields of a struct, with those of the structs that it embeds.
func fields(of reflect.Type) []field {
	var found []field
	for i := range of.NumField() {
		member := of.Field(i)
		name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		switch {
		case !member.IsExported() || name == "-":
		case name == "" && strings.Contains(options, "inline") || name == "" && member.Anonymous:
			found = append(found, fields(member.Type)...)
		default:
			goType, isPointer := member.Type, member.Type.Kind() == reflect.Pointer
			if isPointer {
				goType = goType.Elem()
			}
			found = append(found, field{name, goType, isPointer})
		}
	}
	return found
}

// Whether it is a struct that JSON has as an object. Times, quantities and the like have forms of their own.
func isStruct(goType reflect.Type) bool {
	if goType.Kind() != reflect.Struct {
		return false
	}
	pointer := reflect.PointerTo(goType)
	return !pointer.Implements(reflect.TypeFor[json.Marshaler]()) && !pointer.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// The fields that are written even if they are not set.
func always(of reflect.Type) map[string]any {
	text, err := json.Marshal(reflect.New(of).Interface())
	written := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &written)
	}
	if err != nil {
		panic(fmt.Sprint(of, ": ", err))
	}
	return written
}

func isScalar(goType reflect.Type) bool {
	switch goType.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return true
	}
	return false
}

func printTypes(out io.Writer) error {
	seen := map[reflect.Type]bool{}
	lines := map[string]string{}
	var walk func(goType reflect.Type)
	walk = func(goType reflect.Type) {
		switch goType.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(goType.Elem())
			return
		}
		if !isStruct(goType) || seen[goType] {
			return
		}
		seen[goType] = true
		written := always(goType)
		var omitted []string
		for _, field := range fields(goType) {
			walk(field.goType)
			if _, is := written[field.name]; !is && !field.isPointer && isScalar(field.goType) {
				omitted = append(omitted, field.name)
			}
		}
		slices.Sort(omitted)
		text, err := json.Marshal(written)
		if err != nil {
			panic(err)
		}
		lines[modelName(goType)] = fmt.Sprintf("%s\t%s", text, strings.Join(omitted, ","))
	}
	for _, kind := range kinds() {
		walk(kind.goType)
	}
	walk(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition]())
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(out, "%s\t%s\n", name, lines[name])
	}
	return nil
}

// The name of a type in OpenAPI: `k8s.io/api/core/v1` with its domain turned round.
func modelName(goType reflect.Type) string {
	domain, path, _ := strings.Cut(goType.PkgPath(), "/")
	parts := strings.Split(domain, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, strings.Split(path+"/"+goType.Name(), "/")...), ".")
}
