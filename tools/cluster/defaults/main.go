// Prints what Kubernetes makes of the objects of its own kinds before it stores them, as two tables for the embedded server.
// Its defaults are Go code, so they are found by trying: objects are decoded and encoded as kube-apiserver does it, and what
// has come to be in them is a default.
//
//	go run ./defaults types     the Go types: which fields are written even if they are not set, and which zeros are not written
//	go run ./defaults values    the defaults: kind, path, condition, value; of the kinds on standard input, one on each line
//
// A line of the first table is the name of a type in OpenAPI, a JSON object of the fields that are always written with their
// zero values, and the names of the fields that are left out if they are zero.
//
// A line of the second table says what is in a field that is not set. `[]` in a path stands for any item of a list, `{}` for
// any value of a map. Of the lines with the same path the first one whose condition is met counts; if it has no value, there is
// no default. Conditions are about the object as it was sent:
//
//	                 always
//	name             the field is set, in the same struct as that of the path
//	name=value       the field has that value
//	../name          the field is in the struct around it
//
// A `~` after a name says that zero is as good as not set. In a value `{"$copy":"name"}` stands for the value of that field,
// `{"$first":"name"}` for its first item, and `{"$pull":"name"}` for the policy for an image with that name.
//
// What does not fit into such a table is printed to standard error, for `defaults/by_hand.rs` of the embedded server, which
// has it by hand.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

// A kind of objects that can be stored.
type kind struct {
	gvk    schema.GroupVersionKind
	goType reflect.Type
	codec  runtime.Codec
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	var err error
	switch {
	case len(os.Args) >= 2 && os.Args[1] == "types":
		err = printTypes(out)
	case len(os.Args) >= 2 && os.Args[1] == "values":
		err = printValues(out, os.Stdin)
	default:
		err = fmt.Errorf("what is to be printed: types or values?")
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "defaults:", err)
		os.Exit(1)
	}
}

// All kinds in all versions, sorted.
func kinds() []kind {
	var found []kind
	for _, from := range []struct {
		scheme *runtime.Scheme
		codecs serializer.CodecFactory
	}{{legacyscheme.Scheme, legacyscheme.Codecs}, {aggregator.Scheme, aggregator.Codecs}} {
		for gvk, goType := range from.scheme.AllKnownTypes() {
			meta, hasMeta := goType.FieldByName("ObjectMeta")
			if gvk.Version == runtime.APIVersionInternal || !hasMeta || meta.Type != reflect.TypeFor[metav1.ObjectMeta]() {
				continue
			}
			found = append(found, kind{gvk, goType, from.codecs.LegacyCodec(gvk.GroupVersion())})
		}
	}
	slices.SortFunc(found, func(one, other kind) int { return strings.Compare(one.name(), other.name()) })
	return found
}

// As in `apps/v1 Deployment`.
func (k kind) name() string {
	return k.gvk.GroupVersion().String() + " " + k.gvk.Kind
}

func printValues(out io.Writer, in io.Reader) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	asked := strings.Split(string(text), "\n")
	constants, err := readConstants()
	if err != nil {
		return err
	}
	for _, kind := range kinds() {
		if !slices.Contains(asked, kind.name()) {
			continue
		}
		prober := prober{kind: kind, constants: constants, said: map[string]bool{}}
		for _, node := range nodes(kind.goType) {
			for _, line := range prober.rules(node) {
				fmt.Fprintf(out, "%s\t%s\n", kind.name(), line)
			}
		}
	}
	return nil
}
