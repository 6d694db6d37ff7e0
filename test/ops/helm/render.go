// Renders a Helm chart to the standard output, as `helm template` does, with the template engine and the functions that
// Helm itself uses: Go's text/template and sprig. For tests, where Helm is not installed.
//
//	render CHART RELEASE VALUES.json
//	render CHART
//
// The second form prints the chart's own values as JSON.
// A value that is not there is an error, as with `helm lint --strict`.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string, into interface{}) {
	text, err := os.ReadFile(path)
	check(err)
	check(yaml.Unmarshal(text, into))
}

// merge lays the values of `over` over those of `under`, key by key.
func merge(under, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		present, wasMap := under[key].(map[string]interface{})
		if isMap && wasMap {
			under[key] = merge(present, inner)
		} else {
			under[key] = value
		}
	}
	return under
}

func functions(all *template.Template) template.FuncMap {
	known := sprig.TxtFuncMap()
	// Helm removes both: a chart must not read the environment.
	delete(known, "env")
	delete(known, "expandenv")
	known["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	known["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	known["required"] = func(why string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(why)
		}
		return value, nil
	}
	return known
}

func main() {
	if len(os.Args) != 2 && len(os.Args) != 4 {
		check(errors.New("usage: render CHART [RELEASE VALUES.json]"))
	}
	chart := os.Args[1]
	values, over := map[string]interface{}{}, map[string]interface{}{}
	var written interface{}
	read(filepath.Join(chart, "values.yaml"), &written)
	// As in Helm, a number is a float64.
	plain, err := json.Marshal(written)
	check(err)
	check(json.Unmarshal(plain, &values))
	if len(os.Args) == 2 {
		fmt.Println(string(plain))
		return
	}
	release := os.Args[2]
	var about map[string]string
	read(filepath.Join(chart, "Chart.yaml"), &about)
	text, err := os.ReadFile(os.Args[3])
	check(err)
	check(json.Unmarshal(text, &over))

	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	data := map[string]interface{}{
		"Values":  merge(values, over),
		"Chart":   map[string]string{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Release": map[string]string{"Name": release, "Namespace": "default", "Service": "Helm"},
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		check(all.ExecuteTemplate(&out, name, data))
		if filepath.Ext(name) == ".yaml" {
			// Fails if the output is no YAML. JSON is what the tests read.
			var object interface{}
			if err := yaml.Unmarshal(out.Bytes(), &object); err != nil {
				check(fmt.Errorf("%s: %w\n%s", name, err, out.String()))
			}
			if object == nil {
				continue
			}
			line, err := json.Marshal(object)
			check(err)
			fmt.Println(string(line))
		}
	}
}
