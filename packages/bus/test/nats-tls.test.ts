import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import {
  type Certificates,
  type NatsServer,
  describeIfAvailable,
  makeCertificates,
  startNatsServer,
} from '@portico/testkit';
import { Written, call, request, said } from './describe-bus.js';

describeIfAvailable('nats-server', '[OP-6] NATS by TLS, signed in by a file', () => {
  let certificates: Certificates;
  let nats: NatsServer;
  let place: string;
  let file: string;
  const open: Bus[] = [];
  const write = (address: string): void => {
    writeFileSync(`${file}.new`, `${address}\n`);
    renameSync(`${file}.new`, file);
  };
  const joined = async (url: string, log = new Written()): Promise<Bus> => {
    const bus = await connectBus({ url, name: 'x', log });
    open.push(bus);
    return bus;
  };

  beforeEach(async () => {
    certificates = makeCertificates();
    file = join(certificates.folder, 'bus-url');
    nats = await startNatsServer({
      config: `tls { cert_file: "${certificates.cert}", key_file: "${certificates.key}" }
authorization { users: [{ user: old, password: one }, { user: new, password: two }] }`,
    });
    place = `127.0.0.1:${nats.port}`;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
    await nats.stop();
    certificates.remove();
  });

  it('speaks to the server that the CA has signed, and to no other, in one sentence', async () => {
    const bus = await joined(`tls://old:one@${place}?ca=${certificates.ca}`);
    await bus.serve(call, async () => said('safe'));
    await expect(bus.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('safe'));
    for (const ca of [`?ca=${certificates.otherCa}`, '']) {
      const refused = await joined(`tls://old:one@${place}${ca}`).catch((error: Error) => error.message);
      expect(refused).toMatch(
        /^BUS_URL: the certificate of the NATS server at 127\.0\.0\.1:\d+ is not trusted by the CA that it names \([^)]+\)\.$/,
      );
    }
  });

  it('goes over to the user that its file names now, without failing a call; a wrong one changes nothing', async () => {
    write(`tls://old:one@${place}?ca=${certificates.ca}`);
    const log = new Written();
    const server = await joined(`file:${file}`, log);
    const asker = await joined(`file:${file}`);
    await server.serve(call, async () => delay(20).then(() => said('done')));
    let asking = true;
    let asked = 0;
    const failed: unknown[] = [];
    const callers = Array.from({ length: 8 }, async () => {
      while (asking) {
        asked++;
        await asker.ask(call, request, { deadlineMs: 10_000 }).catch((error: unknown) => failed.push(error));
      }
    });
    const until = async (event: string): Promise<void> => {
      for (const end = performance.now() + 15_000; !log.events().includes(event); await delay(20))
        if (performance.now() > end) throw new Error(`no ${event}: ${log.events().join()}`);
    };
    write(`tls://new:wrong@${place}?ca=${certificates.ca}`);
    await until('bus.new-address-refused');
    write(`tls://new:two@${place}?ca=${certificates.ca}`);
    await until('bus.new-address');
    const before = asked;
    await delay(1_500);
    expect(asked).toBeGreaterThan(before);
    asking = false;
    await Promise.all(callers);
    expect(failed).toEqual([]);
    expect(log.events()).not.toContain('bus.disconnected');
  });
});
