import { createHash } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PROJECT = '00000000-0000-4000-8000-000000000001';
const WORK_ITEM = /\/work-items\/SHOP-(\d)\/$/;

/** As much of Plane and of GitHub as a declared file of eight work items needs; each keeps what it is sent. */
export interface PlaneBackends {
  /** Settings of the adapter that lead here. */
  readonly env: Record<string, string>;
  /** The declared file, as it is. */
  file: string;
  /** What another does to the file just before a write of ours arrives. */
  another(file: string): string;
  /** What Plane was sent that is not a GET. */
  readonly planeWrites: string[];
  close(): Promise<void>;
}

export async function startPlaneBackends(): Promise<PlaneBackends> {
  const items = Array.from({ length: 8 }, (_, index) =>
    [`      "key": "SHOP-${index + 1}",`, '      "state":  "Todo" ,', '      "note": { "kept":  1 }'].join('\n'),
  );
  const file = `{\n  "work_items": [\n    {\n${items.join('\n    },\n    {\n')}\n    }\n  ]\n}`;
  const planeWrites: string[] = [];
  const plane = createServer((request, response) => {
    if (request.method !== 'GET') planeWrites.push(`${request.method} ${request.url}`);
    const url = new URL(request.url ?? '', 'http://plane');
    const number = Number(WORK_ITEM.exec(url.pathname)?.[1] ?? 1);
    const item = { id: `id-${number}`, sequence_id: number, name: 'One', project: PROJECT };
    const [projects, states] = [[{ id: PROJECT, name: 'Shop', identifier: 'SHOP' }], [{ id: 'done', name: 'Done' }]];
    const body = url.pathname.endsWith('/projects/') ? projects : url.pathname.endsWith('/states/') ? states : item;
    response.end(JSON.stringify(body));
  });
  const git = createServer((request, response) => void contents(backends, request, response));
  const urls = await Promise.all([plane, git].map(listening));
  const backends: PlaneBackends = {
    env: {
      PLANE_URL: urls[0]!,
      PLANE_WORKSPACE: 'acme',
      PLANE_TOKEN: 'plane-key',
      PLANE_GIT_API_URL: urls[1]!,
      PLANE_GIT_REPOSITORY: 'acme/plans',
      PLANE_GIT_TOKEN: 'git-token',
    },
    file,
    another: (text) => text,
    planeWrites,
    close: async () => {
      for (const server of [plane, git]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return backends;
}

async function contents(at: PlaneBackends, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === 'GET') return void response.end(at.file);
  const { sha, content } = JSON.parse(Buffer.concat(chunks).toString()) as { sha: string; content: string };
  at.file = at.another(at.file);
  const now = createHash('sha1')
    .update(`blob ${Buffer.byteLength(at.file)}\0${at.file}`)
    .digest('hex');
  if (sha !== now) {
    return void response.writeHead(409).end(JSON.stringify({ message: `SHOP.json does not match ${sha}` }));
  }
  at.file = Buffer.from(content, 'base64').toString();
  response.end(JSON.stringify({ commit: { sha: 'c'.repeat(40) } }));
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
