// Prints every update and every apply that the tests of package merge do, with what comes out: one on each line. The test
// `updater` of the embedded server adds it to the package that these tests use, whose own functions it calls.

package fixture

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	yaml "go.yaml.in/yaml/v2"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

type exportedObject struct {
	Value any `json:"value"`
	Type  any `json:"type"`
}

type exportedManager struct {
	Version string          `json:"version"`
	Applied bool            `json:"applied"`
	Set     json.RawMessage `json:"set"`
}

type exportedConversion struct {
	From    exportedObject  `json:"from"`
	Version string          `json:"version"`
	To      *exportedObject `json:"to"`
	Missing bool            `json:"missing"`
	Error   string          `json:"error,omitempty"`
}

type exportedFiltering struct {
	Version string          `json:"version"`
	From    json.RawMessage `json:"from"`
	To      json.RawMessage `json:"to"`
}

type exportedCase struct {
	Operation   string                     `json:"operation"`
	Schema      int                        `json:"schema"`
	Live        exportedObject             `json:"live"`
	Object      exportedObject             `json:"object"`
	Managers    map[string]exportedManager `json:"managers"`
	Version     string                     `json:"version"`
	Manager     string                     `json:"manager"`
	Force       bool                       `json:"force"`
	Ignored     map[string]json.RawMessage `json:"ignored,omitempty"`
	Conversions []exportedConversion       `json:"conversions"`
	Filterings  []exportedFiltering        `json:"filterings,omitempty"`

	Conflicts     [][2]string                `json:"conflicts,omitempty"`
	Error         string                     `json:"error,omitempty"`
	LiveAfter     *exportedObject            `json:"liveAfter,omitempty"`
	ManagersAfter map[string]exportedManager `json:"managersAfter"`
}

var (
	exporting sync.Mutex
	exported  = map[*schema.Schema]int{}
)

func exportLine(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	file, err := os.OpenFile(os.Getenv("KUBE_INFORMER_EXPORT"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fprintf(file, "%s\n", line)
}

func exportYAML(value any) any {
	text, err := yaml.Marshal(value)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	return convertMapAnyToMapString(plain)
}

// exportSchema prints a schema when it is first used.
func exportSchema(s *schema.Schema) int {
	number, known := exported[s]
	if !known {
		number = len(exported)
		exported[s] = number
		exportLine(map[string]any{"number": number, "types": exportYAML(s.Types)})
	}
	return number
}

func exportObject(object *typed.TypedValue) exportedObject {
	result := exportedObject{Type: exportYAML(object.TypeRef())}
	if value := object.AsValue(); value != nil {
		result.Value = convertMapAnyToMapString(value.Unstructured())
	}
	return result
}

func exportSet(set *fieldpath.Set) json.RawMessage {
	text, err := set.ToJSON()
	if err != nil {
		panic(err)
	}
	return text
}

func exportManagers(managers fieldpath.ManagedFields) map[string]exportedManager {
	result := map[string]exportedManager{}
	for manager, set := range managers {
		result[manager] = exportedManager{string(set.APIVersion()), set.Applied(), exportSet(set.Set())}
	}
	return result
}

type exportingConverter struct {
	merge.Converter
	line *exportedCase
}

func (c exportingConverter) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	conversion := exportedConversion{From: exportObject(object), Version: string(version)}
	result, err := c.Converter.Convert(object, version)
	switch {
	case err == nil:
		to := exportObject(result)
		conversion.To = &to
	case c.IsMissingVersionError(err):
		conversion.Missing = true
	default:
		conversion.Error = err.Error()
	}
	c.line.Conversions = append(c.line.Conversions, conversion)
	return result, err
}

type exportingFilter struct {
	filter  fieldpath.Filter
	version string
	line    *exportedCase
}

func (f exportingFilter) Filter(set *fieldpath.Set) *fieldpath.Set {
	// Printed before, because a filter may return the set itself.
	from := exportSet(set)
	result := f.filter.Filter(set)
	f.line.Filterings = append(f.line.Filterings, exportedFiltering{f.version, from, exportSet(result)})
	return result
}

func (s *State) export(line exportedCase, tv *typed.TypedValue, version fieldpath.APIVersion, run func() error) error {
	exporting.Lock()
	defer exporting.Unlock()
	if err := s.checkInit(version); err != nil {
		return err
	}
	line.Schema = exportSchema(tv.Schema())
	line.Live, line.Object, line.Managers = exportObject(s.Live), exportObject(tv), exportManagers(s.Managers)
	line.Version, line.Ignored = string(version), map[string]json.RawMessage{}
	for version, set := range s.Updater.IgnoredFields {
		line.Ignored[string(version)] = exportSet(set)
	}
	converter, filters := s.Updater.Converter, s.Updater.IgnoreFilter
	s.Updater.Converter = exportingConverter{converter, &line}
	if filters != nil {
		s.Updater.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{}
		for version, filter := range filters {
			s.Updater.IgnoreFilter[version] = exportingFilter{filter, string(version), &line}
		}
	}
	err := run()
	s.Updater.Converter, s.Updater.IgnoreFilter = converter, filters
	if conflicts, ok := err.(merge.Conflicts); ok {
		for _, conflict := range conflicts {
			line.Conflicts = append(line.Conflicts, [2]string{conflict.Manager, conflict.Path.String()})
		}
	} else if err != nil {
		line.Error = err.Error()
	} else {
		live := exportObject(s.Live)
		line.LiveAfter, line.ManagersAfter = &live, exportManagers(s.Managers)
	}
	exportLine(line)
	return err
}

func (s *State) UpdateObject(tv *typed.TypedValue, version fieldpath.APIVersion, manager string) error {
	line := exportedCase{Operation: "Update", Manager: manager}
	return s.export(line, tv, version, func() error { return s.updateObject(tv, version, manager) })
}

func (s *State) ApplyObject(tv *typed.TypedValue, version fieldpath.APIVersion, manager string, force bool) error {
	line := exportedCase{Operation: "Apply", Manager: manager, Force: force}
	return s.export(line, tv, version, func() error { return s.applyObject(tv, version, manager, force) })
}
