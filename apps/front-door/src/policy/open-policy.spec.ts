import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@portico/observe';
import { SettingError } from '@portico/settings';
import { type PolicyOptions, openPolicy } from './open-policy.js';

const READER = { tenant: 't', subject: 's', scopes: [] };
const DENY = 'access: [{ deny: ["files.*"] }]\n';
const BROKEN = 'access: [{ deny: "files.*" }]\n';

let folder: string;
let file: string;
let opened: ReturnType<typeof openPolicy>[];
let lines: Record<string, unknown>[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-policy-'));
  file = join(folder, 'policy.yaml');
  opened = [];
  lines = [];
});
afterEach(() => {
  for (const one of opened) one.close();
  rmSync(folder, { recursive: true });
});

const log = createLog({
  name: 'front-door',
  level: 'info',
  format: 'json',
  write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
});
const open = (over: Partial<PolicyOptions> = {}) => {
  const policy = openPolicy({ file, explicit: false, authMode: 'none', log, ...over });
  opened.push(policy);
  return policy;
};
const events = (event: string) => lines.filter((line) => line['event'] === event);
const readsFiles = (policy: ReturnType<typeof openPolicy>): boolean =>
  policy.current.accessOf(READER).allows({ fullName: 'files.read', effect: 'read' });
const eventually = async (holds: () => boolean): Promise<void> => {
  for (const end = performance.now() + 15_000; !holds(); await delay(10))
    if (performance.now() > end) throw new Error('it never came to be so');
};
/** As long as a change takes to be seen, and longer. */
const settled = () => delay(400);

describe('[SS-2] the policy at the start', () => {
  it('denies nothing in none mode, and writes elsewhere, when there is no file: that is no news', async () => {
    expect(open().current.accessOf(READER).all).toBe(true);
    expect(open({ authMode: 'jwt' }).current.accessOf(READER).all).toBe(false);
    await settled();
    expect(lines).toEqual([]);
  });

  it('is that of the file, and says which rules can never count', () => {
    writeFileSync(file, `${DENY}tools: [{ match: "*" }, { match: "a.*" }]`);
    expect(readsFiles(open())).toBe(false);
    expect(events('policy.read')).toMatchObject([{ revision: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
    expect(events('policy.rule-without-effect')).toMatchObject([
      { warning: expect.stringContaining('tools[1] (a.*)') },
    ]);
  });

  it.each([
    ['is broken', () => writeFileSync(file, BROKEN), 'access[0].deny: it is "files.*", but it takes a list.'],
    ['is empty', () => writeFileSync(file, ''), 'is empty'],
    ['is a folder', () => mkdirSync(file), 'is not a regular file.'],
    ['is a link that leads nowhere', () => symlinkSync(join(folder, 'gone'), file), 'can not be read (ENOENT).'],
  ])('stops with one sentence naming POLICY_FILE when the file %s', (_what, make, sentence) => {
    make();
    try {
      open();
    } catch (error) {
      expect(error).toBeInstanceOf(SettingError);
      expect(error).toMatchObject({ variable: 'POLICY_FILE', message: expect.stringContaining(sentence) });
      expect((error as Error).message).toMatch(/^POLICY_FILE policy\.yaml.*\.$/);
      return;
    }
    throw new Error('it started');
  });

  it('stops when a file that was named is not there', () => {
    expect(() => open({ explicit: true })).toThrow('POLICY_FILE policy.yaml can not be read (ENOENT).');
  });
});

describe('the policy while the gateway runs', () => {
  it('follows its file however that is changed: made, written, replaced, linked, deleted and made again', async () => {
    const policy = open();
    const told: boolean[] = [];
    policy.onChange((now) => told.push(now === policy.current));
    writeFileSync(file, DENY);
    await eventually(() => !readsFiles(policy));
    writeFileSync(file, '{}');
    await eventually(() => readsFiles(policy));
    writeFileSync(join(folder, 'next'), DENY);
    renameSync(join(folder, 'next'), file);
    await eventually(() => !readsFiles(policy));
    writeFileSync(join(folder, 'other.yaml'), '{}');
    symlinkSync('other.yaml', join(folder, 'link'));
    renameSync(join(folder, 'link'), file);
    await eventually(() => readsFiles(policy));
    unlinkSync(file);
    await settled();
    writeFileSync(file, DENY);
    await eventually(() => !readsFiles(policy));
    expect(told).toEqual([true, true, true, true, true]);
  });

  it('makes a new policy object with new accesses, and leaves the old one as it was', async () => {
    writeFileSync(file, DENY);
    const policy = open();
    const before = policy.current;
    const access = before.accessOf(READER);
    writeFileSync(file, '{}');
    await eventually(() => policy.current !== before);
    expect(policy.current.accessOf(READER)).not.toBe(access);
    expect(before.accessOf(READER)).toBe(access);
    expect(access.allows({ fullName: 'files.read', effect: 'read' })).toBe(false);
  });

  it('stays when a change is broken, says so once, and takes the next good one', async () => {
    writeFileSync(file, DENY);
    const policy = open();
    const before = policy.current;
    writeFileSync(file, BROKEN);
    await eventually(() => events('policy.not-used').length > 0);
    writeFileSync(file, `${BROKEN}\n`);
    await settled();
    expect(events('policy.not-used')).toMatchObject([
      { reason: 'POLICY_FILE policy.yaml, access[0].deny: it is "files.*", but it takes a list.' },
    ]);
    expect(policy.current).toBe(before);
    writeFileSync(file, '{}');
    await eventually(() => readsFiles(policy));
  });

  it('stays when its file is deleted, empty or cut short: what was denied is never open in between', async () => {
    writeFileSync(file, DENY);
    const policy = open();
    unlinkSync(file);
    await eventually(() => events('policy.not-used').length === 1);
    writeFileSync(file, '');
    await eventually(() => events('policy.not-used').length === 2);
    writeFileSync(file, 'access:\n');
    await eventually(() => events('policy.not-used').length === 3);
    expect(readsFiles(policy)).toBe(false);
    writeFileSync(file, DENY);
    await eventually(() => events('policy.as-before').length === 1);
    expect(events('policy.read')).toHaveLength(1);
  });

  it('is not news when the file says the same in other words', async () => {
    writeFileSync(file, DENY);
    const policy = open();
    const before = policy.current;
    policy.onChange(() => {
      throw new Error('nothing has changed');
    });
    writeFileSync(file, `# a comment\n${DENY}`);
    await settled();
    writeFileSync(join(folder, 'other file'), 'x');
    await settled();
    expect(policy.current).toBe(before);
    expect(events('policy.read')).toHaveLength(1);
  });

  it('follows nothing once it is closed', async () => {
    const policy = open();
    policy.close();
    writeFileSync(file, DENY);
    await delay(1_500);
    expect(readsFiles(policy)).toBe(true);
  });
});
