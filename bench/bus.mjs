import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { ClientNats, ServerNats } from '@nestjs/microservices';
import { connectBus, memoryBus } from '@portico/bus';
import { callTool } from '@portico/contracts';
import { firstValueFrom } from 'rxjs';
import { cpuMicros } from './cpu-time.mjs';
import { end, endWithUs, said, start } from './children.mjs';
import { median } from './statistics.mjs';

/**
 * What asking costs: our bus against stock Nest (ClientNats to ServerNats) and against the bare client's `request`,
 * on one real nats-server; and our bus in process. Server and answering ends share a CPU, the asking end has the other.
 * `node bench/bus.mjs`, after a build. Interleaved rounds, medians; on a busy machine trust the CPU of both ends (the server's left out) over speed.
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
const STOCK = 'stock Nest over NATS';
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

/**
 * Asks for one time of the window: how many a second, and how much CPU of both ends each took.
 * @param {() => Promise<unknown>} ask @param {number} inFlight @param {number[]} pids
 */
const sample = async (ask, inFlight, pids) => {
  const cpuBefore = cpuMicros(pids);
  const began = performance.now();
  let answered = 0;
  const worker = async () => {
    while (performance.now() - began < MILLISECONDS) {
      await ask();
      answered++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return {
    perSecond: (answered * 1_000) / (performance.now() - began),
    cpu: (cpuMicros(pids) - cpuBefore) / answered,
  };
};

const measure = async () => {
  endWithUs();
  Logger.overrideLogger(false);
  const server = start(OTHER_CPU, ['nats-server', '-a', '127.0.0.1', '-p', '-1']);
  const [, place] = await said(server, /client connections on (\S+)[\s\S]*Server is ready/);
  const url = `nats://${place}`;
  const answers = start(OTHER_CPU, [process.execPath, fileURLToPath(import.meta.url), url]);
  await said(answers, /ready/);
  const pids = [process.pid, answers.pid ?? 0];
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
    [STOCK]: () => firstValueFrom(nest.send(NEST, request)),
    'bare client': async () => (await bare.request(BARE, JSON.stringify(request), { timeout: DEADLINE_MS })).json(),
    'bus in process': () => inProcess.ask(ours, request, { deadlineMs: DEADLINE_MS, context }),
    'zod alone': async () => void (ours.request.parse(request), ours.reply.parse(reply('text'))),
  };
  /** @type {Map<string, { perSecond: number, cpu: number }[]>} */
  const samples = new Map();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const inFlight of IN_FLIGHT) {
      for (const [name, ask] of Object.entries(asks)) {
        const taken = await sample(ask, inFlight, pids);
        // The first round warms up.
        if (round > 0) samples.set(`${name} ${inFlight}`, [...(samples.get(`${name} ${inFlight}`) ?? []), taken]);
      }
    }
  }

  for (const inFlight of IN_FLIGHT) {
    const middle = (/** @type {string} */ name, /** @type {'perSecond' | 'cpu'} */ what) =>
      median((samples.get(`${name} ${inFlight}`) ?? []).map((taken) => taken[what]));
    console.log(`\n${inFlight} in flight`);
    for (const name of Object.keys(asks)) {
      const [perSecond, cpu] = [middle(name, 'perSecond'), middle(name, 'cpu')];
      const speed = (perSecond / middle(STOCK, 'perSecond')).toFixed(2);
      const effort = (cpu / middle(STOCK, 'cpu')).toFixed(2);
      const cells = [`${Math.round(perSecond)}/s`, `${cpu.toFixed(1)} us CPU`]
        .map((cell) => cell.padStart(14))
        .join('');
      console.log(`${name.padEnd(26)}${cells}   ${speed}x the speed, ${effort}x the CPU of stock Nest`);
    }
  }
  await Promise.all([bus.close(), nest.close(), bare.close(), inProcess.close()]);
  await end();
};

const [, , url] = process.argv;
await (url === undefined ? measure() : answer(url));
