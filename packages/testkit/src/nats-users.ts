import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNatsServer } from './nats-server.js';
import type { NatsServer } from './nats-server.js';

export interface NatsWithUsers extends NatsServer {
  readonly users: readonly string[];
  /** Its address as one of the users comes to it. */
  urlOf(user: string): string;
  /** Its address as somebody who may do all: for a test that plays several roles at once, never for a service. */
  readonly urlOfAnybody: string;
  /** What it has refused anybody, a line of its log each; empty: all that was done is allowed. */
  refused(): string[];
  /** A new password for one user: who came by the old one is sent away, nobody else is. */
  changePassword(user: string): Promise<void>;
}

const PERMISSIONS = join(import.meta.dirname, '../../../infra/nats/permissions.conf');

/** Starts a real nats-server with the permissions of infra/nats, or such a file, and a password for each user of it. */
export const startNatsWithUsers = async (permissionFile = PERMISSIONS): Promise<NatsWithUsers> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-nats-users-'));
  const permissions = await readFile(permissionFile, 'utf8');
  const variables = new Map(
    [...permissions.matchAll(/user: "([^"]+)", password: \$(\w+)/g)].map(([, user = '', variable = '']) => [
      user,
      variable,
    ]),
  );
  const passwords = new Map([...variables.keys(), ANYBODY].map((user) => [user, newPassword()]));
  const writePasswords = (): Promise<void> => {
    const lines = [...variables].map(([user, variable]) => `${variable}: "${passwords.get(user)}"\n`);
    return writeFile(join(folder, 'passwords/passwords.conf'), lines.join(''));
  };
  await mkdir(join(folder, 'passwords'));
  await writePasswords();
  const anybody = `    { user: "${ANYBODY}", password: "${passwords.get(ANYBODY)}" }\n`;
  await writeFile(
    join(folder, 'permissions.conf'),
    permissions.replace('  users: [\n', (start) => start + anybody),
  );
  // An include is looked for from the file that has it, and the server's own is elsewhere.
  const up = '../'.repeat(tmpdir().split('/').length + 2);
  const server = await startNatsServer({ config: `include "${up}${join(folder, 'permissions.conf').slice(1)}"` });
  const urlOf = (user: string): string => {
    const password = passwords.get(user);
    if (password === undefined) throw new Error(`There is no user ${user}.`);
    return `nats://${user}:${password}@127.0.0.1:${server.port}`;
  };
  return {
    ...server,
    users: [...variables.keys()],
    urlOf,
    urlOfAnybody: urlOf(ANYBODY),
    refused: () =>
      server
        .log()
        .split('\n')
        .filter((line) => /violation|authorization|authentication/i.test(line)),
    changePassword: async (user) => {
      urlOf(user);
      passwords.set(user, newPassword());
      await writePasswords();
      await server.reload();
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const ANYBODY = 'anybody';
const newPassword = (): string => randomBytes(12).toString('hex');
