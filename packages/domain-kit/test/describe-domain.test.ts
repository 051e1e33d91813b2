import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeDomain } from '@portico/testkit';
import { BackendReader, defineTool, path, pathSegment, serveDomain } from '@portico/domain-kit';
import { z } from 'zod';

describeDomain('made with the kit alone', async () => {
  let requests = 0;
  const kept: ServerResponse[] = [];
  let arrived = () => {};
  const server = createServer((request, response) => {
    requests++;
    if (request.url !== '/things/hang') return void response.end('{"ok":true}');
    kept.push(response);
    arrived();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const backend = new BackendReader({ name: 'The backend', baseUrl });
  const tool = (name: string) =>
    defineTool({
      name,
      description: `Reads a thing. ${'Long. '.repeat(60)}`,
      input: z.object({ id: pathSegment(/^[a-z]+$/) }),
      effect: 'read',
      handle: async ({ id }, scope) => (await backend.get({ path: path`/things/${id}`, scope })).text(),
    });
  const tools = Array.from({ length: 40 }, (_, index) => tool(`read_${index}`));
  return {
    source: 'domain.things',
    serve: (bus) =>
      serveDomain(bus, { name: 'things', description: 'Things.', version: '1', tools }, { instance: 'i1' }),
    backendRequests: () => requests,
    badArguments: { tool: 'read_0', arguments: { id: '../x' } },
    hang() {
      const there = new Promise<void>((resolve) => (arrived = resolve));
      return {
        tool: 'read_0',
        arguments: { id: 'hang' },
        arrived: () => there,
        release: () => kept.forEach((response) => response.end()),
      };
    },
    async close() {
      await backend.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
