import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerKubernetes } from './fake-kubernetes-api.js';

/** A small Kubernetes API of two pods, two namespaces and one Secret, that remembers what it was asked. */
export interface FakeKubernetes {
  readonly url: string;
  /** `GET /api/v1/pods`, one a request, in order; queries left out. May be emptied. */
  readonly requests: string[];
  /** Text of a kubeconfig that leads here, with a token that must never reach a caller either. */
  kubeconfig(token: string): string;
  /** Requests whose line contains `part` are kept waiting until it is called with undefined. */
  hold(part: string | undefined): void;
  /** Resolves when a request whose line contains `part` has come, or has come already. */
  seen(part: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts one on a free loopback port. */
export async function startFakeKubernetes(): Promise<FakeKubernetes> {
  const requests: string[] = [];
  const deleted = new Set<string>();
  const awaited = new Set<() => void>();
  let held: { part: string; waiting: (() => void)[] } | undefined;

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://fake');
    const line = `${request.method} ${pathname}`;
    requests.push(line);
    for (const check of awaited) check();
    const answer = () => answerKubernetes(request, response, deleted);
    if (held && line.includes(held.part)) held.waiting.push(answer);
    else answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    requests,
    kubeconfig: (token) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'fake', cluster: { server: url } }],
        users: [{ name: 'tester', user: { token } }],
        contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'tester' } }],
        'current-context': 'fake',
      }),
    hold(part) {
      const released = held?.waiting ?? [];
      held = part === undefined ? undefined : { part, waiting: [] };
      for (const answer of released) answer();
    },
    seen: (part) =>
      new Promise((resolve) => {
        const check = () => {
          if (!requests.some((line) => line.includes(part))) return;
          awaited.delete(check);
          resolve();
        };
        awaited.add(check);
        check();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
