import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeIfAvailable, toolPath } from '@portico/testkit';
import { stringify } from 'yaml';
import { describeArrows } from './describe-arrows.js';
import { SERVICES, containerOf, describeWorkloads } from './describe-workloads.js';
import { OVERLAYS, type Resource, ofKind, renderOverlay } from './kubernetes-resources.js';

const kustomize = toolPath('kustomize') ?? 'kustomize';
const rendered = (overlay: string): Resource[] => renderOverlay(kustomize, join(OVERLAYS, overlay));

describeIfAvailable('kustomize', 'infra/k8s, as kustomize renders it', () => {
  describeWorkloads('production', SERVICES, () => rendered('production'));
  describeArrows('the policies of production', SERVICES, () => rendered('production'));
  describeWorkloads('embedded', ['portico'], () => rendered('embedded'));
  describeArrows('the policies of embedded', ['portico'], () => rendered('embedded'));

  it('[OP-2] keeps embedded in one pod, which lets go of its one volume before another takes it', () => {
    const all = rendered('embedded');
    const [pod] = ofKind(all, 'Deployment');
    expect(pod?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(ofKind(all, 'PersistentVolumeClaim').map(({ spec }) => spec.accessModes)).toEqual([['ReadWriteOncePod']]);
  });

  it.each(['production', 'embedded'])(
    '[OP-4] leads from a Service of %s to the port of agents, and to no other',
    (name) => {
      const services = ofKind(rendered(name), 'Service');
      expect(services.map(({ spec }) => spec.ports?.map(({ targetPort }) => targetPort))).toEqual([['agents']]);
    },
  );

  it('[OP-3] has the namespace refuse whatever is not restricted', () => {
    const [namespace] = ofKind(rendered('production'), 'Namespace');
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  describe('copied, as an operator does', () => {
    let copy: string;
    beforeAll(() => {
      copy = mkdtempSync(join(tmpdir(), 'portico-k8s-'));
      cpSync(join(OVERLAYS, '..'), copy, { recursive: true });
    });
    afterAll(() => rmSync(copy, { recursive: true }));

    it('[OP-2] runs images by their digests', () => {
      const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
      const cwd = join(copy, 'overlays/production');
      const images = SERVICES.map((app) => `portico/${app}=registry.example.com/portico/${app}@${digest}`);
      execFileSync(kustomize, ['edit', 'set', 'image', ...images], { cwd });
      const used = ofKind(renderOverlay(kustomize, cwd), 'Deployment').map((one) => containerOf(one).image);
      expect(used.sort()).toEqual(images.map((image) => image.replace(/^.*=/, '')).sort());
    });
  });

  it('[OP-4] by host names: no public block is left, and what takes its place is the same services on the same port', () => {
    const all = rendered('hostnames');
    const blocks = ofKind(all, 'NetworkPolicy').filter(({ spec }) => JSON.stringify(spec).includes('ipBlock'));
    expect(blocks).toEqual([]);
    const before = ofKind(rendered('production'), 'NetworkPolicy').filter(({ spec }) =>
      JSON.stringify(spec).includes('ipBlock'),
    );
    const named = (ofKind(all, 'CiliumNetworkPolicy') as unknown as Cilium[]).filter(({ spec }) =>
      spec.egress.some(({ toFQDNs }) => toFQDNs),
    );
    const who = 'app.kubernetes.io/name';
    expect(named.map(({ spec }) => spec.endpointSelector.matchLabels[who]).sort()).toEqual(
      before.map(({ spec }) => spec.podSelector.matchLabels?.[who]).sort(),
    );
    for (const { spec } of named) {
      expect(spec.egress.map(({ toPorts }) => toPorts)).toEqual([[{ ports: [{ port: '443', protocol: 'TCP' }] }]]);
    }
  });
});

interface Cilium {
  readonly spec: {
    readonly endpointSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly egress: readonly { readonly toFQDNs?: object[]; readonly toPorts?: object[] }[];
  };
}

describeIfAvailable('kubernetes-validate', 'infra/k8s, by the schemas of Kubernetes', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'portico-schemas-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['production', 'embedded', 'hostnames'])(
    '[OP-2] %s has no field that Kubernetes 1.37 does not know',
    (name) => {
      const own = rendered(name).filter(({ kind }) => kind !== 'CiliumNetworkPolicy');
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, own.map((one) => stringify(one, { version: '1.1' })).join('---\n'));
      const tool = toolPath('kubernetes-validate') ?? 'kubernetes-validate';
      const said = execFileSync(tool, ['-k', '1.37', '--strict', file], { encoding: 'utf8' });
      expect(said.match(/passed for resource/g)).toHaveLength(own.length);
    },
    60_000,
  );
});
