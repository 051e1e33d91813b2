import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  HostileSender,
  ORACLE_BACKEND,
  ORACLE_CATALOGUE,
  SMUGGLED_TOOL,
  exchange,
  hostileRequests,
} from '@portico/testkit';
import type { HostileOutcome, HostileRequest } from '@portico/testkit';
import { openOracleDoor } from './oracle-door.js';

const SEED = 1_048_583;
const REQUESTS = 20_000;
const WARM_UP = 4_000;
const CONNECTIONS = 32;
/** What may stay on the heap after sixteen thousand requests: less than 2 kB each. */
const HEAP_BOUND_BYTES = 32 * 1024 * 1024;

const [echo] = ORACLE_CATALOGUE.tools;
const CATALOGUE = {
  ...ORACLE_CATALOGUE,
  tools: [...ORACLE_CATALOGUE.tools, { ...echo!, definition: { ...echo!.definition, name: SMUGGLED_TOOL } }],
};

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** What is wrong with an answer to anything at all: a failure of the server's own, unless it honestly says "busy". */
function fault(request: HostileRequest, { answers }: HostileOutcome): string | undefined {
  const what =
    request.kind === 'raw' ? request.name : `${request.verb} ${request.path} ${request.body.toString('utf8')}`;
  for (const { status, body } of answers) {
    if (status < 500) continue;
    const honest = status === 503 && /"code":"(RATE_LIMITED|BACKEND_UNAVAILABLE)"/.test(body);
    if (!honest) return `${status} to ${what.slice(0, 500)}: ${body.slice(0, 300)}`;
  }
  return undefined;
}

describe('[FD-1][FD-21] hostile input', () => {
  const executed = new Map<string, number>();
  let door: Awaited<ReturnType<typeof openOracleDoor>>;
  let sender: HostileSender;

  beforeAll(async () => {
    door = await openOracleDoor(CATALOGUE, {
      ...ORACLE_BACKEND,
      callTool: (request, notify) => {
        executed.set(request.tool, (executed.get(request.tool) ?? 0) + 1);
        return ORACLE_BACKEND.callTool(request, notify);
      },
    });
    sender = new HostileSender(door.url, CONNECTIONS);
  });
  afterAll(async () => {
    sender.close();
    await door.close();
  });

  it('takes twenty thousand requests without a 5xx, a crash, a hidden call or growing memory', async () => {
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    const requests = hostileRequests(SEED, REQUESTS);
    let sent = 0;
    const work = async (until: number) => {
      while (sent < until) {
        const { value } = requests.next();
        if (value === undefined) return;
        sent += 1;
        const outcome = await sender.send(value);
        for (const { status } of outcome.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const found = fault(value, outcome);
        if (found !== undefined) faults.push(found);
      }
    };
    const workers = (until: number) => Promise.all(Array.from({ length: CONNECTIONS }, () => work(until)));

    await workers(WARM_UP);
    const before = heapUsed();
    await workers(REQUESTS);
    const grown = heapUsed() - before;

    expect(faults).toEqual([]);
    expect(sent).toBe(REQUESTS);
    expect(executed.get(SMUGGLED_TOOL)).toBeUndefined();
    expect(grown).toBeLessThan(HEAP_BOUND_BYTES);
    // The requests reach deep as well as bounce off: some calls ran, some bodies were too large, some were no JSON.
    expect(executed.get('echo')).toBeGreaterThan(100);
    expect(statuses.get(200)).toBeGreaterThan(1_000);
    expect(statuses.get(400)).toBeGreaterThan(1_000);
    expect(statuses.get(413)).toBeGreaterThan(0);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  }, 300_000);

  it('still serves the next honest caller', async () => {
    const { status, body } = await exchange(door.url, {
      name: 'an honest call',
      verb: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: SMUGGLED_TOOL, arguments: { text: 'x' } },
      }),
    });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ id: 7, result: { content: [{ text: `${SMUGGLED_TOOL} {"text":"x"}` }] } });
    // Which also shows that a hidden call, had one got through, would have been counted.
    expect(executed.get(SMUGGLED_TOOL)).toBe(1);
  });
});
