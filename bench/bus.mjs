import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { ClientNats, ServerNats } from '@nestjs/microservices';
import { connectBus, memoryBus } from '@portico/bus';
import { callTool } from '@portico/contracts';
import { firstValueFrom } from 'rxjs';
import { end, endWithUs, said, start } from './children.mjs';
import { median } from './statistics.mjs';

/**
 * What asking costs: our bus against stock Nest (ClientNats to ServerNats) and against the bare client's `request`,
 * on one real nats-server; and our bus in process. Server and answering ends share a CPU, the asking end has the other.
 * `node bench/bus.mjs`, after a build. Interleaved rounds, medians; the ratios are what to trust on a busy machine.
 */

const ROUNDS = 7;
const MILLISECONDS = 700;
const IN_FLIGHT = [1, 32];
const OTHER_CPU = 1;
const DEADLINE_MS = 10_000;
const request = { tool: 'echo', arguments: { text: 'the quick brown fox jumps over the lazy dog' } };
const context = {
  correlationId: '5f0c2a1e-8f5e-4f0e-9a57-1f6f5f0c2a1e',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  principal: { tenant: 'default', subject: 'bench' },
};
const ours = callTool('domain.ours');
const NEST = 'domain.nest.call-tool';
const BARE = 'domain.bare.call-tool';
const reply = (/** @type {string} */ text) => ({ content: [{ type: 'text', text }] });

/** The answering ends of all three, in a process of their own. @param {string} url */
const answer = async (url) => {
  const bus = await connectBus({ url, name: 'bench-answers' });
  await bus.serve(ours, async ({ arguments: { text } }) => reply(String(text)));

  const nest = new ServerNats({ servers: [url] });
  nest.addHandler(NEST, async (/** @type {typeof request} */ asked) => reply(asked.arguments.text));
  await new Promise((resolve) => nest.listen(resolve));

  const bare = await connect({ servers: url });
  bare.subscribe(BARE, {
    callback: (_, message) => {
      const asked = /** @type {typeof request} */ (message.json());
      message.respond(JSON.stringify(reply(asked.arguments.text)));
    },
  });
  await bare.flush();
  await /** @type {import('@nats-io/transport-node').NatsConnection} */ (nest.unwrap()).flush();
  console.log('ready');
};

/** Asks a second for one time of the window. @param {() => Promise<unknown>} ask @param {number} inFlight */
const rate = async (ask, inFlight) => {
  const began = performance.now();
  let answered = 0;
  const worker = async () => {
    while (performance.now() - began < MILLISECONDS) {
      await ask();
      answered++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (answered * 1_000) / (performance.now() - began);
};

const measure = async () => {
  endWithUs();
  const server = start(OTHER_CPU, ['nats-server', '-a', '127.0.0.1', '-p', '-1']);
  const [, place] = await said(server, /client connections on (\S+)[\s\S]*Server is ready/);
  const url = `nats://${place}`;
  await said(start(OTHER_CPU, [process.execPath, fileURLToPath(import.meta.url), url]), /ready/);
  const bus = await connectBus({ url, name: 'bench-asks' });
  const nest = new ClientNats({ servers: [url] });
  await nest.connect();
  const bare = await connect({ servers: url });
  const inProcess = memoryBus();
  await inProcess.serve(ours, async ({ arguments: { text } }) => reply(String(text)));

  /** @type {Record<string, () => Promise<unknown>>} */
  const asks = {
    'bus over NATS': () => bus.ask(ours, request, { deadlineMs: DEADLINE_MS, context }),
    'bus over NATS, no context': () => bus.ask(ours, request, { deadlineMs: DEADLINE_MS }),
    'stock Nest over NATS': () => firstValueFrom(nest.send(NEST, request)),
    'bare client': async () => (await bare.request(BARE, JSON.stringify(request), { timeout: DEADLINE_MS })).json(),
    'bus in process': () => inProcess.ask(ours, request, { deadlineMs: DEADLINE_MS, context }),
    'zod alone': async () => void (ours.request.parse(request), ours.reply.parse(reply('text'))),
  };
  /** @type {Map<string, number[]>} */
  const rates = new Map();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const inFlight of IN_FLIGHT) {
      for (const [name, ask] of Object.entries(asks)) {
        const perSecond = await rate(ask, inFlight);
        // The first round warms up.
        if (round > 0) rates.set(`${name} ${inFlight}`, [...(rates.get(`${name} ${inFlight}`) ?? []), perSecond]);
      }
    }
  }

  for (const inFlight of IN_FLIGHT) {
    const per = (/** @type {string} */ name) => median(rates.get(`${name} ${inFlight}`) ?? [0]);
    console.log(`\n${inFlight} in flight`);
    for (const name of Object.keys(asks)) {
      const cells = [
        name.padEnd(28),
        `${Math.round(per(name))}/s`.padStart(10),
        `${(1e6 / per(name)).toFixed(1)} us each`.padStart(16),
      ];
      console.log(`${cells.join('')}   ${(per(name) / per('stock Nest over NATS')).toFixed(2)}x stock Nest`);
    }
  }
  await Promise.all([bus.close(), nest.close(), bare.close(), inProcess.close()]);
  await end();
};

const [, , url] = process.argv;
await (url === undefined ? measure() : answer(url));
