import type { IncomingMessage, ServerResponse } from 'node:http';

/** The value in its Secret: whatever reaches a caller must not contain it. */
export const FAKE_SECRET_VALUE = 'ZmFrZS1zZWNyZXQtdmFsdWUtMTIz';

interface Thing {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

const META = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const pod = (name: string): Thing => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, labels: { app: name }, ...META },
  spec: { nodeName: 'node-1', containers: [{ name: 'main', image: `${name}:1` }] },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    containerStatuses: [{ name: 'main', ready: true, restartCount: 0, image: name, imageID: name }],
  },
});
const namespace = (name: string): Thing => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...META },
  status: { phase: 'Active' },
});

const THINGS: Readonly<Record<string, readonly Thing[]>> = {
  pods: [pod('cart'), pod('checkout')],
  namespaces: [namespace('default'), namespace('shop')],
  secrets: [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'card-key', namespace: 'shop', ...META },
      type: 'Opaque',
      data: { key: FAKE_SECRET_VALUE },
    },
  ],
  configmaps: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'prices', namespace: 'shop', ...META },
      data: { currency: 'EUR' },
    },
  ],
};
const RESOURCES = [
  { name: 'pods', kind: 'Pod', namespaced: true, shortNames: ['po'] },
  { name: 'namespaces', kind: 'Namespace', namespaced: false, shortNames: ['ns'] },
  { name: 'secrets', kind: 'Secret', namespaced: true },
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] },
].map((resource) => ({
  ...resource,
  singularName: resource.kind.toLowerCase(),
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
}));

/** Whoever asks whether he may do something may. */
const AUTHORIZATION = {
  name: 'authorization.k8s.io',
  versions: [{ groupVersion: 'authorization.k8s.io/v1', version: 'v1' }],
  preferredVersion: { groupVersion: 'authorization.k8s.io/v1', version: 'v1' },
};
const REVIEWS = {
  name: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  singularName: '',
  verbs: ['create'],
};

/** Answers one request as a Kubernetes API server of version 1.33 would. `deleted` remembers what was deleted. */
export function answerKubernetes(request: IncomingMessage, response: ServerResponse, deleted: Set<string>): void {
  request.resume();
  const { pathname } = new URL(request.url ?? '/', 'http://fake');
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  if (pathname === '/version')
    return send(200, { major: '1', minor: '33', gitVersion: 'v1.33.0', platform: 'linux/amd64' });
  if (pathname === '/api') return send(200, { kind: 'APIVersions', versions: ['v1'] });
  if (pathname === '/apis') return send(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: [AUTHORIZATION] });
  if (pathname === '/api/v1') return send(200, { kind: 'APIResourceList', groupVersion: 'v1', resources: RESOURCES });

  if (pathname === '/apis/authorization.k8s.io/v1') {
    return send(200, { kind: 'APIResourceList', groupVersion: 'authorization.k8s.io/v1', resources: [REVIEWS] });
  }
  if (pathname === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') {
    return send(201, {
      kind: REVIEWS.kind,
      apiVersion: 'authorization.k8s.io/v1',
      spec: {},
      status: { allowed: true },
    });
  }

  const [, space, collection = '', name, part] =
    /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?([a-z]+)(?:\/([^/]+))?(?:\/(log))?$/.exec(pathname) ?? [];
  const known = THINGS[collection]?.filter(
    (thing) =>
      (space === undefined || thing.metadata.namespace === space) &&
      !deleted.has(`${collection}/${thing.metadata.name}`),
  );
  if (!known) return send(404, status(404, 'NotFound', 'the server could not find the requested resource'));
  if (name === undefined) return send(200, request.headers.accept?.includes('as=Table') ? table(known) : list(known));
  const thing = known.find(({ metadata }) => metadata.name === name);
  if (!thing) return send(404, status(404, 'NotFound', `${collection} "${name}" not found`));
  if (part === 'log') return send(200, `${name} took an order\n`);
  if (request.method === 'DELETE') deleted.add(`${collection}/${name}`);
  send(200, thing);
}

const status = (code: number, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason,
  message,
  code,
});

const list = (things: readonly Thing[]) => ({
  kind: `${things[0]?.kind ?? ''}List`,
  apiVersion: 'v1',
  metadata: { resourceVersion: '1' },
  items: things,
});

const table = (things: readonly Thing[]) => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { resourceVersion: '1' },
  columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
  rows: things.map((thing) => ({ cells: [thing.metadata.name], object: thing })),
});
