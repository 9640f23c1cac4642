// Prints what the Go provider makes of instance types, a line of JSON for each. Standard input has what EC2 told of them
// and where they are sold. The only argument is the image family.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"sort"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/aws/karpenter-provider-aws/pkg/operator/options"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype"
	corev1 "k8s.io/api/core/v1"
)

const region = "us-west-2"

// The node class has a subnet in each, and their ids are counted up.
var subnetZones = []string{"us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"}

type question struct {
	Types []ec2types.InstanceTypeInfo
	Zones map[string][]string
}

type answer struct {
	Name        string              `json:"name"`
	Labels      map[string][]string `json:"labels"`
	Capacity    map[string]int64    `json:"capacity"`
	Allocatable map[string]int64    `json:"allocatable"`
}

func main() {
	var asked question
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	ctx := options.ToContext(context.Background(), &options.Options{VMMemoryOverheadPercent: 0.075})
	class := &awsv1.EC2NodeClass{}
	class.Spec.AMIFamily = &os.Args[1]
	for i, zone := range subnetZones {
		subnet := awsv1.Subnet{ID: "subnet-" + zone, Zone: zone, ZoneID: "usw2-az" + string(rune('1'+i))}
		class.Status.Subnets = append(class.Status.Subnets, subnet)
	}
	resolver := instancetype.NewDefaultResolver(region)
	out := json.NewEncoder(os.Stdout)
	for _, info := range asked.Types {
		made := resolver.Resolve(ctx, info, asked.Zones[string(info.InstanceType)], class)
		labels := map[string][]string{}
		for key, requirement := range made.Requirements {
			values := requirement.Values()
			sort.Strings(values)
			labels[key] = append([]string{}, values...)
		}
		line := answer{made.Name, labels, amounts(made.Capacity), amounts(made.Allocatable())}
		if err := out.Encode(line); err != nil {
			log.Fatal(err)
		}
	}
}

// Processors in thousandths, everything else in whole units; nothing of what there is none.
func amounts(list corev1.ResourceList) map[string]int64 {
	all := map[string]int64{}
	for name, quantity := range list {
		amount := quantity.Value()
		if name == corev1.ResourceCPU {
			amount = quantity.MilliValue()
		}
		if amount != 0 {
			all[string(name)] = amount
		}
	}
	return all
}
