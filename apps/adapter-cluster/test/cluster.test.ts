import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig, startAdapterCluster } from '@portico/adapter-cluster';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, describeSource, sourceHealth } from '@portico/contracts';
import type { Fault, ToolResult } from '@portico/contracts';
import { createLog } from '@portico/observe';
import {
  FAKE_SECRET_VALUE,
  KUBECONFIG_TOKEN,
  kubernetesMcpProgram,
  startFakeKubernetes,
  startKubernetesMcp,
} from '@portico/testkit';
import type { FakeKubernetes, KubernetesMcp } from '@portico/testkit';

const AT = 'domain.cluster';

let api: FakeKubernetes;
const lines: string[] = [];
const log = createLog({ level: 'debug', format: 'json', name: 'test', write: (line) => void lines.push(line) });
/** Everything that ever came out of the adapter: neither secret may be in it. */
const seen: unknown[] = [];
const running: { close(): Promise<unknown> }[] = [];

const start = async (env: Record<string, string>): Promise<Bus> => {
  const bus = memoryBus({ log });
  running.push(bus);
  running.push(await startAdapterCluster(bus, readConfig(env)!, log));
  return bus;
};
const call = async (bus: Bus, tool: string, args: Record<string, unknown> = {}): Promise<ToolResult> => {
  const result = await bus.ask(callTool(AT), { tool, arguments: args }, { deadlineMs: 20_000 });
  seen.push(result);
  return result;
};
const refusal = (bus: Bus, tool: string, args: Record<string, unknown> = {}): Promise<Fault> =>
  call(bus, tool, args).then(
    (result) => Promise.reject(new Error(`it was not refused: ${JSON.stringify(result)}`)),
    (fault: Fault) => {
      seen.push(fault.toRecord());
      return fault;
    },
  );
const published = async (bus: Bus): Promise<string[]> => {
  const page = await bus.ask(describeSource(AT), {});
  seen.push(page);
  return page.tools.map(({ definition }) => definition.name);
};
/** What the server itself lists, asked without any of our code. */
const listedBy = async (url: string): Promise<Record<string, unknown>[]> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  const data = /^data: (.*)$/m.exec(await answer.text())?.[1] ?? '';
  return (JSON.parse(data) as { result: { tools: Record<string, unknown>[] } }).result.tools;
};
const textOf = (result: ToolResult): string => String(result.content?.[0]?.['text']);

afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});
afterAll(() => {
  const everything = JSON.stringify(seen) + lines.join('');
  expect(everything).toContain('cart took an order');
  expect(everything).not.toContain(FAKE_SECRET_VALUE);
  expect(everything).not.toContain(KUBECONFIG_TOKEN);
});

describe.each([
  { mode: 'stateful', era: 'legacy', stateless: false },
  { mode: 'stateless', era: 'modern', stateless: true },
])('[AD-5] a real kubernetes-mcp-server over HTTP, $mode', ({ era, stateless }) => {
  let server: KubernetesMcp;
  beforeAll(async () => {
    api = await startFakeKubernetes();
    server = await startKubernetesMcp({ api, stateless });
  });
  afterAll(async () => {
    await server.close();
    await api.close();
  });

  it('[AD-5][FD-14] publishes its tools as they are, each with an effect of ours', async () => {
    const bus = await start({ CLUSTER_MCP_URL: server.url });
    const { tools, identity } = await bus.ask(describeSource(AT), {});
    expect(identity).toMatchObject({
      era,
      serverInfo: { name: 'kubernetes-mcp-server' },
      mount: 'namespace',
      callTimeoutMs: 30_000,
    });
    const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
    expect(byName.get('pods_list')).toMatchObject({
      policy: { effect: 'read' },
      definition: { annotations: { readOnlyHint: true } },
    });
    expect(byName.get('pods_delete')?.policy).toEqual({ effect: 'destructive', invalidates: ['cluster.*'] });
    expect(byName.get('pods_get')?.definition['_meta']).toHaveProperty(['io.kubernetes-mcp-server/rbac']);
    expect(byName.size).toBe(17);
    if (stateless) {
      const own = new Map((await listedBy(server.url)).map((tool) => [tool['name'], tool]));
      for (const { definition } of tools) expect(definition).toEqual(own.get(definition.name));
    }
  });

  it('calls them', async () => {
    const bus = await start({ CLUSTER_MCP_URL: server.url });
    expect(textOf(await call(bus, 'pods_list'))).toMatch(/cart[\s\S]*checkout/);
    expect(textOf(await call(bus, 'pods_log', { namespace: 'shop', name: 'cart' }))).toContain('cart took an order');
    expect(
      textOf(
        await call(bus, 'resources_get', { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'prices' }),
      ),
    ).toContain('EUR');
  });

  it("[AD-5][FD-21] hands on the server's own errors as results of theirs", async () => {
    const bus = await start({ CLUSTER_MCP_URL: server.url });
    const missing = await call(bus, 'pods_get', { namespace: 'shop', name: 'nothing' });
    expect(missing.isError).toBe(true);
    expect(textOf(missing)).toContain('not found');
    // That server refuses arguments and results with one code, so its refusal proves nothing.
    expect(await refusal(bus, 'nosuch')).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'unknown' });
  });

  it('[AD-6] neither publishes nor calls what is denied, and the cluster hears nothing of it', async () => {
    const bus = await start({ CLUSTER_MCP_URL: server.url });
    const names = await published(bus);
    for (const tool of ['configuration_view', 'pods_exec', 'pods_run']) {
      expect(names).not.toContain(tool);
      expect(
        await refusal(bus, tool, { name: 'cart', namespace: 'shop', command: ['cat', '/etc/token'], image: 'x' }),
      ).toMatchObject({
        code: 'PERMISSION_DENIED',
        executed: 'no',
      });
    }
    const before = api.requests.length;
    for (const kind of ['Secret', 'secret', 'secrets']) {
      const secret = { apiVersion: 'v1', kind, namespace: 'shop', name: 'card-key' };
      for (const tool of ['resources_get', 'resources_list', 'resources_delete', 'resources_scale']) {
        expect(await refusal(bus, tool, secret)).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
      }
    }
    const manifest =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n- kind: secret';
    expect(await refusal(bus, 'resources_create_or_update', { resource: manifest })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const unclear = 'kind: &k ConfigMap\nmetadata: {name: *k}';
    expect(await refusal(bus, 'resources_create_or_update', { resource: unclear })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    expect(api.requests.length).toBe(before);
  });

  it('[AD-6] CLUSTER_READ_ONLY publishes and calls only what reads', async () => {
    const bus = await start({ CLUSTER_MCP_URL: server.url, CLUSTER_READ_ONLY: 'true' });
    const { tools } = await bus.ask(describeSource(AT), {});
    expect(new Set(tools.map(({ policy }) => policy.effect))).toEqual(new Set(['read']));
    expect(tools).toHaveLength(13);
    for (const tool of ['pods_delete', 'resources_scale', 'a_tool_of_tomorrow']) {
      expect(await refusal(bus, tool, { namespace: 'shop', name: 'cart' })).toMatchObject({
        code: 'PERMISSION_DENIED',
        executed: 'no',
      });
    }
    expect(api.requests.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it('[AD-6] CLUSTER_DENY adds and CLUSTER_ALLOW lifts', async () => {
    const bus = await start({
      CLUSTER_MCP_URL: server.url,
      CLUSTER_DENY: 'nodes_*,resources_*:ConfigMap',
      CLUSTER_ALLOW: 'pods_exec',
    });
    const names = await published(bus);
    expect(names).toContain('pods_exec');
    expect(names).not.toContain('pods_run');
    expect(names.filter((name) => name.startsWith('nodes_'))).toEqual([]);
    expect(await refusal(bus, 'resources_list', { apiVersion: 'v1', kind: 'configmaps' })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it.each([
    ['pods_get', 'GET /api/v1/namespaces/shop/pods/cart'],
    ['pods_delete', 'DELETE /api/v1/namespaces/shop/pods/cart'],
  ])('[AD-6] never sends %s twice, though the server dies in the middle of it', async (tool, line) => {
    const bus = await start({ CLUSTER_MCP_URL: server.url });
    await published(bus);
    api.requests.splice(0);
    api.hold(line);
    const lost = refusal(bus, tool, { namespace: 'shop', name: 'cart' });
    await api.seen(line);
    await server.kill();
    expect(await lost).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    await server.restart();
    // It is there again, and asked again; what was lost stays lost.
    expect(textOf(await call(bus, 'namespaces_list'))).toContain('shop');
    expect(api.requests.filter((each) => each === line)).toHaveLength(1);
    api.hold(undefined);
  });

  it('[AD-6] would show both secrets, were they not denied', async () => {
    const bus = await start({ CLUSTER_MCP_URL: server.url, CLUSTER_ALLOW: 'configuration_view,resources_get:Secret' });
    const shown = async (tool: string, args: Record<string, unknown>) =>
      JSON.stringify(await bus.ask(callTool(AT), { tool, arguments: args }, { deadlineMs: 20_000 }));
    expect(await shown('configuration_view', {})).toContain(KUBECONFIG_TOKEN);
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'card-key' };
    expect(await shown('resources_get', secret)).toContain(FAKE_SECRET_VALUE);
    expect(await refusal(bus, 'resources_list', secret)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe('[AD-6] the effect table', () => {
  it('knows every tool of every toolset', async () => {
    api = await startFakeKubernetes();
    const flags = ['--toolsets', 'config,core,helm,kcp,kiali,kubevirt,netobserv,tekton'];
    const server = await startKubernetesMcp({ api, flags });
    running.push(api, server);
    const bus = await start({ CLUSTER_MCP_URL: server.url, CLUSTER_ALLOW: '*' });
    const { tools } = await bus.ask(describeSource(AT), {});
    expect(tools.length).toBeGreaterThan(45);
    const named = (effect: string) =>
      tools.filter(({ policy }) => policy.effect === effect).map(({ definition }) => definition.name);
    const hinted = tools.filter(
      ({ definition }) => (definition['annotations'] as Record<string, unknown>)['readOnlyHint'] === true,
    );
    expect(named('read')).toEqual(hinted.map(({ definition }) => definition.name));
    expect(named('destructive')).toEqual(
      expect.arrayContaining([
        'helm_uninstall',
        'pods_delete',
        'pods_exec',
        'resources_create_or_update',
        'resources_delete',
        'vm_lifecycle',
      ]),
    );
    expect(named('write')).toEqual(expect.arrayContaining(['helm_install', 'pods_run', 'vm_create']));
  });
});

describe('[AD-5] while the server is away', () => {
  it('[AD-6] starts at once; only discovery is asked again, and a call says that it was not executed', async () => {
    api = await startFakeKubernetes();
    const server = await startKubernetesMcp({ api });
    running.push(api, server);
    await server.kill();
    const bus = await start({ CLUSTER_MCP_URL: server.url });
    expect(await refusal(bus, 'pods_list')).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(await bus.ask(sourceHealth(AT), {})).toEqual({ state: 'down', detail: 'BACKEND_UNAVAILABLE' });
    const asked = published(bus);
    await server.restart();
    expect(await asked).toContain('pods_list');
    expect(await bus.ask(sourceHealth(AT), {})).toEqual({ state: 'up' });
  });
});

describe('[AD-5] a real kubernetes-mcp-server over stdio', () => {
  it('is started by the command, with quoted words in it', async () => {
    api = await startFakeKubernetes();
    const { program, kubeconfig, remove } = await kubernetesMcpProgram(api);
    running.push(api, { close: remove });
    const bus = await start({
      CLUSTER_MCP_COMMAND: `"${program}" --kubeconfig '${kubeconfig}' --list-output=yaml`,
      PATH: process.env['PATH']!,
    });
    expect(await published(bus)).toContain('pods_list');
    expect(textOf(await call(bus, 'namespaces_list'))).toContain('shop');
    expect(await refusal(bus, 'configuration_view')).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
  });
});
