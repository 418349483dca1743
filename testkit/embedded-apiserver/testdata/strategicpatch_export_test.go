// Prints the cases of the tests of this package, with what they come out as: the schema of their objects on the first line,
// then one case on each. The test `strategic` of the embedded server runs it among the tests of the package.

package strategicpatch

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestExport(t *testing.T) {
	out, err := os.Create(os.Getenv("KUBE_INFORMER_EXPORT"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	print := func(value any) {
		line, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "%s\n", line)
	}

	swagger, err := os.ReadFile("testdata/swagger-merge-item-v3.json")
	if err != nil {
		t.Fatal(err)
	}
	print(json.RawMessage(swagger))

	type exported struct {
		Description string          `json:"description"`
		Original    json.RawMessage `json:"original"`
		Patch       json.RawMessage `json:"patch"`
		Result      json.RawMessage `json:"result,omitempty"`
		Error       string          `json:"error,omitempty"`
	}
	// Every patch of a case is applied to every object of the case: more than the tests do.
	export := func(description string, objects, patches [][]byte) {
		for _, object := range objects {
			for _, patch := range patches {
				if len(object) == 0 || len(patch) == 0 {
					continue
				}
				object, patch := yamlToJSONOrError(t, object), yamlToJSONOrError(t, patch)
				line := exported{Description: description, Original: object, Patch: patch}
				result, err := StrategicMergePatch(object, patch, mergeItem)
				if err != nil {
					line.Error = err.Error()
				} else {
					line.Result = result
				}
				print(line)
			}
		}
	}
	for _, cases := range [][]StrategicMergePatchRawTestCase{strategicMergePatchRawTestCases, customStrategicMergePatchRawTestCases} {
		for _, c := range cases {
			export(c.Description, [][]byte{c.Original, c.Modified, c.Current}, [][]byte{c.TwoWay, c.ThreeWay})
		}
	}
	for _, data := range [][]byte{createStrategicMergePatchTestCaseData, customStrategicMergePatchTestCaseData} {
		cases := StrategicMergePatchTestCases{}
		if err := yaml.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases.TestCases {
			text := func(object map[string]any) []byte {
				if object == nil {
					return nil
				}
				return testObjectToJSONOrFail(t, object)
			}
			objects := [][]byte{text(c.Original), text(c.Modified), text(c.Current)}
			export(c.Description, objects, [][]byte{text(c.TwoWay), text(c.ThreeWay)})
		}
	}
}
