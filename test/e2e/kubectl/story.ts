import type { Command } from "./kubectl.ts";

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: registry.example.com/web:1
        resources: {requests: {cpu: 100m, memory: 64Mi}}
`;

const budget = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: web}}
`;

const agent = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "registry.example.com/agent:1"}]
`;

const store = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  serviceName: store
  replicas: 2
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "registry.example.com/store:1"}]
`;

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.story.example.com}
spec:
  group: story.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, minimum: 0, maximum: 10, default: 1}
              color: {type: string, enum: [red, blue]}
            x-kubernetes-validations:
            - {rule: "!has(self.color) || self.color != 'red' || self.size < 5", message: red widgets are small}
          status:
            type: object
            properties: {size: {type: integer}}
`;

const widget = `
apiVersion: story.example.com/v1
kind: Widget
metadata: {name: one}
spec: {color: blue}
`;

const config = (value: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: ${value}}
`;

const available = "wait --for=condition=Available deployment/web --timeout=180s";

/** A day's work with kubectl, from the first manifest to the last deletion. Two nodes, node-a and node-b, are there. */
export const story: readonly Command[] = [
  { line: "wait --for=condition=Ready node --all --timeout=180s" },
  { line: "get nodes" },
  { line: "get nodes -o name" },
  { line: "auth can-i create pods" },
  { line: "api-resources --api-group=apps" },
  { line: "get namespaces default kube-system" },
  // apply, get, describe
  { line: "apply -f - --dry-run=server", input: web },
  { line: "diff -f -", input: web, isUnspoken: true },
  { line: "apply -f -", input: web },
  { line: available },
  { line: "apply -f -", input: web },
  { line: "rollout status deployment/web", until: /successfully/, isUnspoken: true },
  { line: "get deployment,replicaset web -o wide", isUnspoken: true },
  { line: "get deployment web -o wide" },
  { line: "get deployments -o custom-columns=NAME:.metadata.name,REPLICAS:.spec.replicas,READY:.status.readyReplicas" },
  {
    line: 'get pods -l app=web --no-headers -o custom-columns=PHASE:.status.phase,READY:.status.conditions[?(@.type=="Ready")].status',
  },
  { line: "get pods -l app=web --sort-by=.metadata.creationTimestamp -o jsonpath='{.items[*].status.phase}'" },
  { line: "get pods --field-selector=status.phase=Running -o jsonpath='{.items[*].spec.containers[0].image}'" },
  { line: "get all -l app=web -o name", isUnspoken: true },
  { line: "describe deployment web", until: /NewReplicaSetAvailable[\s\S]*ScalingReplicaSet/ },
  { line: "get deployment web -o jsonpath='{.status}'", isUnspoken: true },
  { line: "get deployment nothing" },
  { line: "get gadgets" },
  { line: "apply -f -", input: web.replace("replicas: 3", "replicas: three") },
  { line: "apply -f -", input: web.replace("replicas: 3", "replicaz: 3") },
  { line: "create -f -", input: web },
  // scale, rollout
  { line: "scale deployment web --replicas=4" },
  { line: "scale deployment web --replicas=1 --current-replicas=9" },
  { line: "get deployment web", until: /4\/4/ },
  { line: "set image deployment/web main=registry.example.com/web:2" },
  { line: "rollout status deployment/web --timeout=180s", isUnspoken: true },
  { line: "annotate deployment web kubernetes.io/change-cause=second" },
  { line: "rollout history deployment/web", until: /second/ },
  { line: "rollout history deployment/web --revision=2" },
  { line: "rollout undo deployment/web" },
  { line: "rollout status deployment/web --timeout=180s", isUnspoken: true },
  { line: "get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}'" },
  { line: "rollout pause deployment/web" },
  { line: "rollout resume deployment/web" },
  { line: "rollout restart deployment/web" },
  { line: "rollout status deployment/web --timeout=180s", isUnspoken: true },
  { line: "get deployment web", until: /4\/4 +4 +4/ },
  // labels, annotations, patches
  { line: "label deployment web tier=front" },
  { line: "label deployment web tier=back" },
  { line: "label deployment web tier=back --overwrite" },
  { line: "label deployment web tier-" },
  { line: "annotate deployment web note='a b'" },
  { line: "annotate deployment web note-" },
  { line: 'patch deployment web -p \'{"spec":{"minReadySeconds":1}}\'' },
  { line: 'patch deployment web --type=json -p \'[{"op":"remove","path":"/spec/nowhere"}]\'' },
  { line: 'patch deployment web --subresource=scale --type=merge -p \'{"spec":{"replicas":3}}\'' },
  { line: "get deployment web", until: /3\/3 +3 +3/ },
  // server-side apply
  { line: "apply --server-side -f -", input: config("one") },
  { line: "apply --server-side --field-manager=other -f -", input: config("two") },
  { line: "apply --server-side --field-manager=other --force-conflicts -f -", input: config("two") },
  { line: "get configmap settings -o jsonpath='{.data.level}'" },
  { line: "delete configmap settings" },
  // daemon sets, stateful sets, jobs
  { line: "apply -f -", input: agent },
  { line: "rollout status daemonset/agent --timeout=180s", isUnspoken: true },
  { line: "get daemonset agent", until: /agent +2 +2 +2 +2 +2/ },
  { line: "apply -f -", input: store },
  { line: "rollout status statefulset/store --timeout=180s", isUnspoken: true },
  { line: "get statefulset store", until: /2\/2/ },
  { line: "get pods -l app=store" },
  { line: "create job once --image=registry.example.com/job:1" },
  { line: "wait --for=condition=Complete job/once --timeout=180s" },
  { line: "get job once" },
  { line: "delete job once" },
  // budgets, taints, cordon, drain
  { line: "apply -f -", input: budget },
  { line: "get poddisruptionbudget web", until: /web +1 +N\/A +2/ },
  { line: "describe poddisruptionbudget web" },
  { line: "taint node node-a team=red:NoSchedule" },
  { line: "taint node node-a team=red:NoSchedule" },
  { line: "taint node node-a team-" },
  { line: "cordon node-a" },
  { line: "get node node-a", until: /SchedulingDisabled/ },
  { line: "drain node-a" },
  { line: "drain node-a --ignore-daemonsets --timeout=180s", isUnspoken: true },
  { line: "get pods --field-selector=spec.nodeName=node-a -o jsonpath='{.items[*].metadata.labels.app}'" },
  { line: "get deployment web", until: /3\/3 +3 +3/ },
  { line: "uncordon node-a" },
  { line: "uncordon node-a" },
  { line: "describe node node-b", isUnspoken: true },
  // events
  { line: "events --for deployment/web --types=Normal", isUnspoken: true },
  { line: "get events --field-selector=reason=ScalingReplicaSet -o jsonpath='{.items[0].involvedObject.name}'" },
  // custom resources
  { line: "apply -f -", input: crd },
  { line: "wait --for=condition=Established crd/widgets.story.example.com --timeout=180s" },
  { line: "apply -f -", input: widget },
  { line: "get wd" },
  { line: "get wd -o wide" },
  { line: "apply -f -", input: widget.replace("blue", "green") },
  { line: 'patch widget one --type=merge -p \'{"spec":{"color":"red","size":7}}\'' },
  { line: "apply -f -", input: widget.replace("{color: blue}", "{colour: blue}") },
  { line: "scale widget one --replicas=3" },
  { line: "get widget one -o jsonpath='{.spec}'" },
  { line: "describe widget one" },
  { line: "delete crd widgets.story.example.com" },
  { line: "get widgets", until: /the server (doesn't have a resource type|could not find the requested resource)/ },
  // deletion
  { line: "delete poddisruptionbudget web" },
  { line: "delete deployment web --cascade=orphan" },
  { line: "get replicasets -l app=web -o jsonpath='{.items[?(@.spec.replicas>0)].status.replicas}'" },
  { line: "delete replicaset -l app=web", isUnspoken: true },
  { line: "delete daemonset agent" },
  { line: "delete statefulset store --cascade=foreground" },
  { line: "wait --for=delete pod -l app --timeout=180s", isUnspoken: true },
  { line: "get pods", until: /No resources found/ },
  { line: "create namespace brief" },
  { line: "-n brief create configmap one --from-literal=a=b" },
  { line: "delete namespace brief --wait=true" },
  { line: "get namespace brief" },
];
