// Small objects that are valid as they are.

type Fields = Readonly<Record<string, unknown>>;

const labels = { app: "web" };

export function configMap(name: string, data: Readonly<Record<string, string>> = {}, metadata: Fields = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

export function pod(name: string, spec: Fields = {}, metadata: Fields = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, ...metadata },
    spec: { containers: [{ name: "main", image: "example.com/main:1" }], ...spec },
  };
}

export function node(name: string, fields: Fields = {}) {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, ...fields };
}

export function deployment(name: string, spec: Fields = {}) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: podTemplate(), ...spec },
  };
}

export function podTemplate(spec: Fields = {}) {
  return { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/main:1" }], ...spec } };
}

export function budget(name: string, spec: Fields) {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, ...spec },
  };
}
