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
}

/** Starts a real nats-server with a file of permissions as infra/nats has it, and a password for each user of it. */
export const startNatsWithUsers = async (permissionFile: string): Promise<NatsWithUsers> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-nats-users-'));
  const permissions = await readFile(permissionFile, 'utf8');
  const passwords = new Map(
    [...permissions.matchAll(/user: "([^"]+)", password: \$(\w+)/g)].map(([, user = '', variable = '']) => [
      user,
      { variable, password: randomBytes(12).toString('hex') },
    ]),
  );
  await mkdir(join(folder, 'passwords'));
  const lines = [...passwords.values()].map(({ variable, password }) => `${variable}: "${password}"\n`);
  await writeFile(join(folder, 'passwords/passwords.conf'), lines.join(''));
  await writeFile(join(folder, 'permissions.conf'), permissions);
  // An include is looked for from the file that has it, and the server's own is elsewhere.
  const up = '../'.repeat(tmpdir().split('/').length + 2);
  const server = await startNatsServer({ config: `include "${up}${join(folder, 'permissions.conf').slice(1)}"` });
  return {
    ...server,
    users: [...passwords.keys()],
    urlOf: (user) => {
      const { password } = passwords.get(user) ?? {};
      if (password === undefined) throw new Error(`There is no user ${user}.`);
      return `nats://${user}:${password}@127.0.0.1:${server.port}`;
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
