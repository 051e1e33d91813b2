import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

type Labels = Readonly<Record<string, string>>;
export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values: string[] }[];
}
export interface Container {
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources: Readonly<Record<'requests' | 'limits', { readonly cpu: string; readonly memory: string }>>;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds: number;
  readonly topologySpreadConstraints: readonly { readonly topologyKey: string; readonly labelSelector: Selector }[];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}
export interface NetworkPeer {
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}
export interface NetworkRule {
  readonly from?: readonly NetworkPeer[];
  readonly to?: readonly NetworkPeer[];
  readonly ports?: readonly { readonly port: number | string; readonly protocol: string }[];
}
/** A resource of Kubernetes, of any kind: the fields that the tests look at. */
export interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly type: string };
    readonly selector?: Selector;
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly podSelector: Selector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly NetworkRule[];
    readonly egress?: readonly NetworkRule[];
    readonly maxUnavailable?: number;
    readonly scaleTargetRef?: { readonly name: string };
    readonly minReplicas?: number;
    readonly accessModes?: readonly string[];
    readonly ports?: readonly { readonly targetPort: string }[];
  };
}

interface Kustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { readonly path: string; readonly target: { readonly kind: string } }[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly configMapGenerator?: readonly {
    readonly name: string;
    readonly literals?: readonly string[];
    readonly envs?: readonly string[];
    readonly files?: readonly string[];
  }[];
}

const root = join(import.meta.dirname, '..');
export const OVERLAYS = join(root, 'infra/k8s/overlays');

/** What an overlay is made of, put together as kustomize would, as far as our own files go. */
export const readOverlay = (overlay: string): Resource[] => readFolder(join(OVERLAYS, overlay), []);

/** What kustomize makes of it. */
export const renderOverlay = (kustomize: string, folder: string): Resource[] =>
  documents(execFileSync(kustomize, ['build', folder], { encoding: 'utf8', maxBuffer: 1 << 24 }));

export const ofKind = (all: readonly Resource[], kind: string): Resource[] => all.filter((one) => one.kind === kind);

/** Whether a selector picks what has these labels. */
export const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

const documents = (text: string): Resource[] => parseAllDocuments(text).map((document) => document.toJS() as Resource);

function readFolder(folder: string, given: Resource[]): Resource[] {
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const made = parse(read('kustomization.yaml')) as Kustomization;
  let all = [...given];
  for (const path of made.resources ?? []) {
    all.push(
      ...(statSync(join(folder, path)).isDirectory() ? readFolder(join(folder, path), []) : documents(read(path))),
    );
  }
  for (const path of made.components ?? []) all = readFolder(join(folder, path), all);
  for (const { path, target } of made.patches ?? []) {
    const [patch] = documents(read(path));
    all = all.map((one) => (one.kind === target.kind ? (merged(one, { spec: patch?.spec }) as Resource) : one));
  }
  for (const { name, literals = [], envs = [], files = [] } of made.configMapGenerator ?? []) {
    const lines = [...literals, ...envs.flatMap((file) => read(file).split('\n'))].filter((line) => /^\w+=/.test(line));
    const data = Object.fromEntries([
      ...lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      ...files.map((file) => [file, read(file)]),
    ]) as Record<string, string>;
    const known = all.find((one) => one.kind === 'ConfigMap' && one.metadata.name === name);
    const map = { kind: 'ConfigMap', metadata: { name }, data: { ...known?.data, ...data } } as unknown as Resource;
    all = [...all.filter((one) => one !== known), map];
  }
  for (const { name, count } of made.replicas ?? []) {
    all = all.map((one) =>
      one.kind === 'Deployment' && one.metadata.name === name
        ? (merged(one, { spec: { replicas: count } }) as Resource)
        : one,
    );
  }
  return all;
}

/** A strategic merge: objects by key, lists of named things by name. */
function merged(base: unknown, patch: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(patch)) {
    const name = (one: unknown): unknown => (one as { name?: string }).name;
    const kept = base.filter((one) => !patch.some((other) => name(other) === name(one)));
    return [
      ...patch.map((one) =>
        merged(
          base.find((other) => name(other) === name(one)),
          one,
        ),
      ),
      ...kept,
    ];
  }
  if (typeof base !== 'object' || typeof patch !== 'object' || base === null || patch === null) return patch ?? base;
  const both = { ...base } as Record<string, unknown>;
  for (const [key, value] of Object.entries(patch)) both[key] = merged(both[key], value);
  return both;
}
