package e2e

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	root    = "../../../.."
	example = root + "/examples/fluent"
)

type fluentBit struct {
	Service  struct{ Grace int }
	Pipeline struct {
		Inputs, Filters, Outputs []map[string]any
	}
}

// manifest is a Kubernetes object, as far as the test looks into it.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct{ Template struct{ Spec podSpec } }
}

type podSpec struct {
	TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
	InitContainers                []struct {
		Name          string
		RestartPolicy string `yaml:"restartPolicy"`
		Resources     resources
	} `yaml:"initContainers"`
	Containers []struct {
		Name      string
		Resources resources
		Lifecycle struct {
			PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
		}
	}
}

type resources struct{ Requests, Limits map[string]string }

// TestManifests: the example's files parse, the copies of Fluent Bit's filters
// are one, and a pod has time enough to ship its last records.
func TestManifests(t *testing.T) {
	b, err := os.ReadFile(example + "/fluent-bit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var plain fluentBit
	if err := yaml.Unmarshal(b, &plain); err != nil {
		t.Fatal(err)
	}
	if in := plain.Pipeline.Inputs; len(in) != 1 || in[0]["name"] != "forward" {
		t.Errorf("fluent-bit.yaml: %v", in)
	}
	for file, kinds := range map[string][]string{
		"k8s-sidecar.yaml": {"ConfigMap", "Deployment"},
		"k8s-node.yaml":    {"ConfigMap", "DaemonSet", "Deployment"},
	} {
		b, err := os.ReadFile(example + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		grace := 0
		for dec := yaml.NewDecoder(bytes.NewReader(b)); ; {
			var m manifest
			if err := dec.Decode(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			got = append(got, m.Kind)
			if m.Kind == "ConfigMap" {
				var fb fluentBit
				if err := yaml.Unmarshal([]byte(m.Data["fluent-bit.yaml"]), &fb); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				if !reflect.DeepEqual(fb.Pipeline.Filters, plain.Pipeline.Filters) || !reflect.DeepEqual(fb.Pipeline.Outputs, plain.Pipeline.Outputs) {
					t.Errorf("%s has other filters or outputs than fluent-bit.yaml", file)
				}
				grace = fb.Service.Grace
				continue
			}
			checkPod(t, file, m.Spec.Template.Spec, grace)
		}
		if !reflect.DeepEqual(got, kinds) {
			t.Errorf("%s: %v, want %v", file, got, kinds)
		}
	}
}

func checkPod(t *testing.T, file string, pod podSpec, grace int) {
	t.Helper()
	need := 0
	for _, c := range pod.Containers {
		if c.Resources.Limits["memory"] == "" || c.Resources.Requests["cpu"] == "" {
			t.Errorf("%s: %s has no limits", file, c.Name)
		}
		switch c.Name {
		case "shop-orders":
			need += c.Lifecycle.PreStop.Sleep.Seconds + 10 + 5 // httpGrace and logGrace of the example
		case "fluent-bit":
			need += grace
		}
	}
	for _, c := range pod.InitContainers {
		if c.RestartPolicy != "Always" || c.Resources.Limits["memory"] == "" {
			t.Errorf("%s: %s is no sidecar, or has no limits", file, c.Name)
		}
		need += grace
	}
	if need == 0 || pod.TerminationGracePeriodSeconds <= need {
		t.Errorf("%s: %d s to end, %d are needed", file, pod.TerminationGracePeriodSeconds, need)
	}
}
