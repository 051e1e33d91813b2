import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SettingsTable } from '@portico/settings';
import { type Container, type PodSpec, type Resource, ofKind, selects } from './kubernetes-resources.js';

interface Config {
  readonly settings: SettingsTable;
  readConfig(env: Record<string, string>): unknown;
}

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'infra/k8s/README.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
export const SERVICES = readdirSync(join(root, 'apps')).filter((name) => name !== 'local');
const SECRETS = '/run/secrets/portico';
const SCALED = /^(front-door|semantic-cache|adapter-\w+)$/;

export const settingsOf = async (app: string): Promise<SettingsTable> => (await configOf(app)).settings;
const configOf = async (app: string): Promise<Config> => (await import(`../apps/${app}/src/config.ts`)) as Config;
const only = <T>(list: readonly T[]): T => {
  expect(list).toHaveLength(1);
  return list[0] as T;
};
export const containerOf = (workload: Resource): Container => only(workload.spec.template.spec.containers);
export const environmentOf = (all: readonly Resource[], workload: Resource): Record<string, string> => {
  const { env = [], envFrom = [] } = containerOf(workload);
  const maps = envFrom.map(({ configMapRef }) =>
    only(ofKind(all, 'ConfigMap').filter(({ metadata }) => metadata.name === configMapRef?.name)),
  );
  return Object.assign(
    {},
    ...maps.map(({ data }) => data),
    Object.fromEntries(env.map((one) => [one.name, one.value])),
  );
};
const mebibytes = (quantity: string): number => {
  const [, size = '', unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(size) * (unit === 'Gi' ? 1024 : 1);
};
const millicores = (quantity: string): number =>
  quantity.endsWith('m') ? Number.parseInt(quantity, 10) : Number(quantity) * 1_000;

/** What every workload of an overlay must be. `load` reads the overlay. */
export function describeWorkloads(title: string, names: readonly string[], load: () => Resource[]): void {
  describe(title, () => {
    let all: Resource[];
    let secrets: string;
    const workload = (name: string): Resource =>
      only(ofKind(all, 'Deployment').filter(({ metadata }) => metadata.name === name));
    const pod = (name: string): PodSpec => workload(name).spec.template.spec;
    const labels = (name: string) => workload(name).spec.template.metadata.labels;
    beforeAll(() => {
      all = load();
      secrets = mkdtempSync(join(tmpdir(), 'portico-secrets-'));
    });
    afterAll(() => rmSync(secrets, { recursive: true }));

    it('[OP-2] has these workloads, and no other', () => {
      expect(
        ofKind(all, 'Deployment')
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual([...names].sort());
      const others = [
        'Pod',
        'StatefulSet',
        'DaemonSet',
        'Job',
        'CronJob',
        'ReplicaSet',
        'Role',
        'ClusterRole',
        'Secret',
      ];
      expect(all.filter(({ kind }) => others.includes(kind))).toEqual([]);
    });

    it.each(names)('[OP-3] %s has no privilege, and no token of the cluster', (name) => {
      expect(pod(name)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod(name).serviceAccountName).toBeUndefined();
      expect(JSON.stringify(pod(name))).not.toMatch(/hostNetwork|hostPath|hostPID|hostIPC|hostPort|privileged/);
      expect(containerOf(workload(name)).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    });

    it.each(names)('[OP-3] %s asks for what was measured, and may use no more than a bound', (name) => {
      const row =
        new RegExp(`^\\| ${name === 'portico' ? 'local' : name} +\\|([^\\n]+)\\|$`, 'm').exec(readme)?.[1] ?? '';
      const [idle = 0, peak = 0, cpu = 0] = row.split('|').map((cell) => Number.parseInt(cell.trim(), 10));
      const { requests, limits } = containerOf(workload(name)).resources;
      expect(idle).toBeGreaterThan(0);
      expect(mebibytes(requests.memory)).toBeGreaterThanOrEqual(idle);
      expect(mebibytes(limits.memory)).toBeGreaterThanOrEqual(1.5 * peak);
      expect(millicores(limits.cpu)).toBeGreaterThanOrEqual(cpu);
      expect(millicores(requests.cpu)).toBeGreaterThan(0);
    });

    it.each(names)(
      '[OP-3] %s is asked whether it has started, takes work and is alive, where it answers that',
      (name) => {
        const { ports, ...container } = containerOf(workload(name));
        const env = environmentOf(all, workload(name));
        const ops = ports.find((port) => port.name === 'ops')?.containerPort;
        expect(String(ops)).toBe(env['ADMIN_PORT'] ?? env['OPS_PORT']);
        expect(env['ADMIN_HOST'] ?? env['OPS_HOST']).toBe('0.0.0.0');
        expect(container['startupProbe']?.httpGet).toEqual({ path: '/healthz', port: 'ops' });
        expect(container['readinessProbe']?.httpGet).toEqual({ path: '/readyz', port: 'ops' });
        expect(container['livenessProbe']?.httpGet).toEqual({ path: '/healthz', port: 'ops' });
      },
    );

    it.each(names)('[OP-3] %s is spread over nodes and zones, and one pod at a time is taken away', (name) => {
      const spread = pod(name).topologySpreadConstraints;
      expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ]);
      for (const { labelSelector } of spread) expect(selects(labelSelector, labels(name))).toBe(true);
      const budgets = ofKind(all, 'PodDisruptionBudget').filter(({ spec }) =>
        selects(spec.selector ?? {}, labels(name)),
      );
      expect(only(budgets).spec.maxUnavailable).toBe(1);
      expect(selects(workload(name).spec.selector ?? {}, labels(name))).toBe(true);
    });

    it.each(names)('[OP-3] %s has the ten seconds of its stop, after those that it waits', (name) => {
      const waits = containerOf(workload(name)).lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(pod(name).terminationGracePeriodSeconds).toBeGreaterThan(10 + waits);
      expect(waits > 0).toBe(containerOf(workload(name)).ports.some((port) => port.name === 'agents'));
    });

    it('[OP-3] scales front door, adapters and semantic cache by load, and the others to two', () => {
      const scalers = ofKind(all, 'HorizontalPodAutoscaler');
      const scaled = scalers.map(({ spec }) => spec.scaleTargetRef?.name).sort();
      expect(scaled).toEqual(names.filter((name) => SCALED.test(name)).sort());
      for (const { spec } of scalers) expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
      for (const name of names) {
        const replicas = name === 'portico' ? 1 : SCALED.test(name) ? undefined : 2;
        expect([name, workload(name).spec.replicas]).toEqual([name, replicas]);
      }
    });

    it.each(names)('[OP-2] %s runs its own image, by an exact tag', (name) => {
      const app = name === 'portico' ? 'local' : name;
      expect(containerOf(workload(name)).image).toMatch(
        new RegExp(`^([\\w.]+/)?portico/${app}(:${version.replaceAll('.', '\\.')}|@sha256:[0-9a-f]{64})$`),
      );
    });

    it.each(names)(
      '[OP-2] %s is told what it requires, no credential, and nothing that it does not know',
      async (name) => {
        const env = environmentOf(all, workload(name));
        const apps = name === 'portico' ? SERVICES : [name];
        const known: SettingsTable = Object.assign({}, ...(await Promise.all(apps.map(settingsOf))));
        const files = (one: string): string[] => [one, `${one}_FILE`];
        expect(Object.keys(env).filter((one) => !Object.keys(known).flatMap(files).includes(one))).toEqual([]);
        for (const one of Object.keys(known)) if (known[one]?.secret) expect(env).not.toHaveProperty(one);
        const mounted = Object.entries(env).filter(([, value]) => value.startsWith(`${SECRETS}/`));
        for (const [, value] of mounted) {
          const kind = value.slice(SECRETS.length + 1);
          writeFileSync(join(secrets, kind), URLS[kind] ?? 'a-secret');
        }
        const here = Object.fromEntries(
          Object.entries(env).map(([key, value]) => [key, value.replace(SECRETS, secrets)]),
        );
        const config = await configOf(name === 'portico' ? 'front-door' : name);
        expect(config.readConfig(here)).toBeDefined();
      },
    );

    it.each(names)('[OP-2] %s has its stores by address, in files', async (name) => {
      const env = environmentOf(all, workload(name));
      const embedded = name === 'portico';
      const known = embedded ? {} : await settingsOf(name);
      for (const one of ['BUS_URL', 'DATABASE_URL', 'REDIS_URL']) {
        expect([one, env[`${one}_FILE`] !== undefined]).toEqual([one, one in known]);
      }
      const { volumes } = pod(name);
      expect(volumes.find((volume) => volume.name === 'secrets')?.secret?.secretName).toBe(name);
      const listed = new RegExp(`^\\| \`${name}\` +\\| ([^|]+)\\|`, 'm').exec(readme)?.[1] ?? '';
      const keys = Object.values(env).flatMap((value) => new RegExp(`^${SECRETS}/(.+)$`).exec(value)?.[1] ?? []);
      const inSecret = keys.filter((key) => key !== 'held-by-slack-bridge').map((key) => `\`${key}\``);
      expect(listed.trim()).toBe(inSecret.join(', '));
    });

    it.each(names)('[OP-3] %s has a volume for each folder that it writes', (name) => {
      const env = environmentOf(all, workload(name));
      const { volumeMounts } = containerOf(workload(name));
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp');
      for (const folder of ['PORTICO_HOME', 'WORKSPACE'].flatMap((one) => env[one] ?? [])) {
        const mount = volumeMounts.find(({ mountPath }) => folder === mountPath || folder.startsWith(`${mountPath}/`));
        expect(mount).toBeDefined();
        expect(mount?.readOnly).toBeUndefined();
      }
    });
  });
}

const URLS: Readonly<Record<string, string>> = {
  'bus-url': 'nats://nats.example:4222',
  'redis-url': 'rediss://redis.example:6379',
  'database-url': 'postgres://user:password@postgres.example:5432/portico',
};
