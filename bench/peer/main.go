// Command peer plans a scenario with the scheduler of kubernetes-sigs/karpenter, the Go original, for comparison.
// It prints one JSON line, and writes its plan in the format of `karpenter plan --out`.
//
//	peer [--runs N] [--out PLAN] SCENARIO
//	peer [--runs N] --best SCENARIO...
//
// The time runs from parsed input with the catalogue loaded to the finished plan; the median of the runs is printed.
// With --best one process plans many scenarios with one catalogue. Each line is a Best.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	fakeclient "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"

	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	kwokoptions "sigs.k8s.io/karpenter/kwok/options"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	fakecloud "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/test"
)

type Scenario struct {
	Name              string            `json:"name"`
	InstanceTypesFile string            `json:"instanceTypesFile"`
	NodePools         []*v1.NodePool    `json:"nodePools"`
	Pods              []*corev1.Pod     `json:"pods"`
	Objects           []json.RawMessage `json:"objects"`
	// Of the objects.
	nodes     []*corev1.Node
	boundPods []*corev1.Pod
}

type Plan struct {
	Scenario      string          `json:"scenario"`
	Nodes         []Node          `json:"nodes"`
	Placements    []Placement     `json:"placements,omitempty"`
	Unschedulable []Unschedulable `json:"unschedulable"`
}

// Placement is what a node that exists gets.
type Placement struct {
	Node string   `json:"node"`
	Pods []string `json:"pods"`
}

type Node struct {
	NodePool     string   `json:"nodePool"`
	InstanceType string   `json:"instanceType"`
	Zone         string   `json:"zone"`
	CapacityType string   `json:"capacityType"`
	PricePerHour float64  `json:"pricePerHour"`
	Pods         []string `json:"pods"`
}

type Unschedulable struct {
	Pod    string `json:"pod"`
	Reason string `json:"reason"`
}

type Summary struct {
	Peer            string  `json:"peer"`
	Scenario        string  `json:"scenario"`
	Pods            int     `json:"pods"`
	InstanceTypes   int     `json:"instanceTypes"`
	Seconds         float64 `json:"seconds"`
	PodsPerSecond   float64 `json:"podsPerSecond"`
	Nodes           int     `json:"nodes"`
	CostPerHour     float64 `json:"costPerHour"`
	Unscheduled     int     `json:"unscheduled"`
	PeakMemoryBytes int64   `json:"peakMemoryBytes"`
}

// Best is the shortest time of several runs, and the best plan of them: the plans of the runs may differ.
type Best struct {
	Scenario string  `json:"scenario"`
	Seconds  float64 `json:"seconds"`
	Plan     Plan    `json:"plan"`
}

func main() {
	runs := flag.Int("runs", 1, "how many times to plan; the median time is printed")
	out := flag.String("out", "", "where to write the plan")
	isBest := flag.Bool("best", false, "print the shortest time and the best plan of each scenario")
	flag.Parse()
	if (flag.NArg() != 1 && !(*isBest && flag.NArg() > 0)) || *runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: peer [--runs N] [--out PLAN] SCENARIO\n       peer [--runs N] --best SCENARIO...")
		os.Exit(2)
	}
	log.SetLogger(logging.NopLogger)

	scenario := readScenario(flag.Arg(0))
	ctx := kwokoptions.ToContext(
		options.ToContext(injection.WithControllerName(context.Background(), "provisioner"), test.Options()),
		&kwokoptions.Options{InstanceTypesFilePath: scenario.InstanceTypesFile})
	instanceTypes := must(kwok.ConstructInstanceTypes(ctx))
	if *isBest {
		for _, path := range flag.Args() {
			check(json.NewEncoder(os.Stdout).Encode(bestOf(ctx, readScenario(path), instanceTypes, *runs)))
		}
		return
	}

	var results scheduling.Results
	world := worldOf(ctx, scenario, instanceTypes)
	seconds := make([]float64, *runs)
	for i := range seconds {
		results, seconds[i] = world.solve(ctx)
	}
	slices.Sort(seconds)
	median := seconds[len(seconds)/2]

	plan := planOf(scenario, results)
	if *out != "" {
		check(os.WriteFile(*out, must(json.Marshal(plan)), 0o600))
	}
	check(json.NewEncoder(os.Stdout).Encode(Summary{
		Peer: version(), Scenario: scenario.Name, Pods: len(scenario.Pods), InstanceTypes: len(instanceTypes),
		Seconds: median, PodsPerSecond: float64(len(scenario.Pods)) / median,
		Nodes: len(plan.Nodes), CostPerHour: plan.cost(), Unscheduled: len(plan.Unschedulable), PeakMemoryBytes: peakMemory(),
	}))
}

func bestOf(ctx context.Context, scenario *Scenario, instanceTypes []*cloudprovider.InstanceType, runs int) Best {
	best := Best{Scenario: scenario.Name}
	world := worldOf(ctx, scenario, instanceTypes)
	for run := range runs {
		results, seconds := world.solve(ctx)
		plan := planOf(scenario, results)
		if run == 0 || seconds < best.Seconds {
			best.Seconds = seconds
		}
		if run == 0 || plan.isBetterThan(best.Plan) {
			best.Plan = plan
		}
	}
	return best
}

func (plan Plan) isBetterThan(other Plan) bool {
	if len(plan.Unschedulable) != len(other.Unschedulable) {
		return len(plan.Unschedulable) < len(other.Unschedulable)
	}
	return plan.cost() < other.cost()
}

func (plan Plan) cost() float64 {
	cost := 0.0
	for _, node := range plan.Nodes {
		cost += node.PricePerHour
	}
	return cost
}

func readScenario(path string) *Scenario {
	scenario := &Scenario{}
	check(json.Unmarshal(must(os.ReadFile(path)), scenario))
	if !filepath.IsAbs(scenario.InstanceTypesFile) {
		scenario.InstanceTypesFile = filepath.Join(filepath.Dir(path), scenario.InstanceTypesFile)
	}
	for _, object := range scenario.Objects {
		kind := struct {
			Kind string `json:"kind"`
		}{}
		check(json.Unmarshal(object, &kind))
		switch kind.Kind {
		case "Node":
			node := &corev1.Node{}
			check(json.Unmarshal(object, node))
			scenario.nodes = append(scenario.nodes, node)
		case "Pod":
			pod := &corev1.Pod{}
			check(json.Unmarshal(object, pod))
			scenario.boundPods = append(scenario.boundPods, pod)
		default:
			fail(fmt.Errorf("objects of the kind %q are not read", kind.Kind))
		}
	}
	// The scheduler tells pods apart by their UIDs.
	for i, pod := range append(scenario.boundPods, scenario.Pods...) {
		if pod.UID == "" {
			pod.UID = types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", i))
		}
	}
	return scenario
}

// world is what the scheduler plans in. It changes nothing there.
type world struct {
	scenario      *Scenario
	instanceTypes []*cloudprovider.InstanceType
	client        client.Client
	cluster       *state.Cluster
}

func worldOf(ctx context.Context, scenario *Scenario, instanceTypes []*cloudprovider.InstanceType) world {
	cloud := fakecloud.NewCloudProvider()
	cloud.InstanceTypes = instanceTypes
	client := clientOf(scenario)
	cluster := state.NewCluster(&clock.RealClock{}, client, cloud)
	for _, node := range scenario.nodes {
		check(cluster.UpdateNode(ctx, node.DeepCopy()))
	}
	for _, pod := range scenario.boundPods {
		check(cluster.UpdatePod(ctx, pod.DeepCopy()))
	}
	return world{scenario: scenario, instanceTypes: instanceTypes, client: client, cluster: cluster}
}

// solve plans once. Making the objects that the scheduler may change is not part of the time.
func (world world) solve(ctx context.Context) (scheduling.Results, float64) {
	scenario, client, cluster := world.scenario, world.client, world.cluster
	pods := make([]*corev1.Pod, len(scenario.Pods))
	for i, pod := range scenario.Pods {
		pods[i] = pod.DeepCopy()
	}
	typesByPool := map[string][]*cloudprovider.InstanceType{}
	for _, pool := range scenario.NodePools {
		typesByPool[pool.Name] = world.instanceTypes
	}
	nodes := cluster.DeepCopyNodes()

	start := time.Now()
	topology := must(scheduling.NewTopology(ctx, client, cluster, nodes, scenario.NodePools, typesByPool, pods))
	scheduler := scheduling.NewScheduler(ctx, client, scenario.NodePools, cluster, nodes, topology, typesByPool, nil,
		events.NewRecorder(&record.FakeRecorder{}), &clock.RealClock{}, nil, nil, scheduling.NumConcurrentReconciles(2))
	results := must(scheduler.Solve(ctx, pods))
	return results, time.Since(start).Seconds()
}

// clientOf has the nodes and their pods, as the cache of a controller has them. What the scheduler reads while it plans
// is copied from memory, as that cache does; the fake client would encode and decode every object.
func clientOf(scenario *Scenario) client.Client {
	nodes := map[string]*corev1.Node{}
	for _, node := range scenario.nodes {
		nodes[node.Name] = node
	}
	return fakeclient.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, next client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if node, isNode := object.(*corev1.Node); isNode && nodes[key.Name] != nil {
				nodes[key.Name].DeepCopyInto(node)
				return nil
			}
			return next.Get(ctx, key, object, options...)
		},
		List: func(ctx context.Context, next client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			pods, isPods := list.(*corev1.PodList)
			if !isPods {
				return next.List(ctx, list, options...)
			}
			pods.Items = nil
			wanted := (&client.ListOptions{}).ApplyOptions(options)
			for _, pod := range scenario.boundPods {
				isInNamespace := wanted.Namespace == "" || wanted.Namespace == pod.Namespace
				isSelected := wanted.LabelSelector == nil || wanted.LabelSelector.Matches(labels.Set(pod.Labels))
				isThere := wanted.FieldSelector == nil || wanted.FieldSelector.Matches(fields.Set{"spec.nodeName": pod.Spec.NodeName})
				if isInNamespace && isSelected && isThere {
					pods.Items = append(pods.Items, *pod.DeepCopy())
				}
			}
			return nil
		},
	}).Build()
}

// planOf gives every claim the cheapest offering that it allows, which is what a cloud would launch first.
func planOf(scenario *Scenario, results scheduling.Results) Plan {
	plan := Plan{Scenario: scenario.Name, Nodes: []Node{}, Unschedulable: []Unschedulable{}}
	for _, claim := range results.NewNodeClaims {
		var cheapest *cloudprovider.Offering
		node := Node{NodePool: claim.NodePoolName, Pods: make([]string, len(claim.Pods))}
		for _, instanceType := range claim.InstanceTypeOptions {
			for _, offering := range instanceType.Offerings.Available().Compatible(claim.Requirements) {
				if cheapest == nil || offering.Price < cheapest.Price {
					cheapest = offering
					node.InstanceType = instanceType.Name
				}
			}
		}
		if cheapest == nil {
			fail(fmt.Errorf("claim %q allows no offering at all", claim.Name))
		}
		node.PricePerHour = cheapest.Price
		node.Zone = cheapest.Requirements.Get(corev1.LabelTopologyZone).Any()
		node.CapacityType = cheapest.Requirements.Get(v1.CapacityTypeLabelKey).Any()
		for i, pod := range claim.Pods {
			node.Pods[i] = nameOf(pod)
		}
		plan.Nodes = append(plan.Nodes, node)
	}
	for _, node := range results.ExistingNodes {
		if len(node.Pods) == 0 {
			continue
		}
		placement := Placement{Node: node.Name()}
		for _, pod := range node.Pods {
			placement.Pods = append(placement.Pods, nameOf(pod))
		}
		plan.Placements = append(plan.Placements, placement)
	}
	for pod, reason := range results.PodErrors {
		plan.Unschedulable = append(plan.Unschedulable, Unschedulable{Pod: nameOf(pod), Reason: reason.Error()})
	}
	return plan
}

func nameOf(pod *corev1.Pod) string {
	return pod.Namespace + "/" + pod.Name
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == "sigs.k8s.io/karpenter" {
				return dependency.Path + " " + dependency.Version
			}
		}
	}
	return "sigs.k8s.io/karpenter"
}

// peakMemory is the largest resident set so far, or 0 where the system does not say.
func peakMemory() int64 {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "Cannot plan the scenario:", err)
	os.Exit(1)
}
