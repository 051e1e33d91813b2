import { type IncomingMessage, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SeenRequest } from '@portico/testkit';

export interface RecordingProxy {
  readonly url: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** A server before the one at `target`, which hands everything on as it is, streams too, and remembers what was asked. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      const { method = '', url = '', headers } = incoming;
      requests.push({ method, url, headers, body });
      const onward = request(new URL(url, target), { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
