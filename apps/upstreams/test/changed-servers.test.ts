import { describe, expect, it } from '@jest/globals';
import { sourceBye, sourceChanged } from '@portico/contracts';
import type { ServerState } from '@portico/contracts';
import { entryOf, opened } from './opened.js';
import { codeOf, runOperated } from './operator.js';
import { eventually, isAlive } from './running.js';

const { keep, fixture } = opened();
const run = async (...given: Parameters<typeof runOperated>) => keep(await runOperated(...given));
const stderrLine = expect.stringMatching(/^stderr \d e{200,}$/) as unknown;

describe('[UP-2] the other changes', () => {
  it('delete says bye, ends the processes, and forgets', async () => {
    const server = fixture({ grandchild: true });
    const { running, save, remove, names } = await run({ filed: { command: 'x', enabled: false } });
    const byes: string[] = [];
    await running.bus.listen(sourceBye, ({ source }) => void byes.push(source));
    await save('A b', entryOf(server));
    await running.call('upstream.a-b', 'echo');
    expect(codeOf(await remove('A b'))).toBe('ok');
    expect(byes).toEqual(['upstream.a-b']);
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
    await expect(running.call('upstream.a-b', 'echo')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(codeOf(await remove('A b'))).toBe('UNKNOWN_SERVER');
    expect(codeOf(await remove('filed'))).toBe('READ_ONLY_ENTRY');
    expect(await names()).toEqual(['filed']);
  });

  it('toggle switches a server off and on', async () => {
    const server = fixture();
    const { running, save, toggle, named, test } = await run({ filed: { command: 'x', enabled: false } });
    await save('a', entryOf(server));
    await running.call('upstream.a', 'echo');
    expect(await toggle('a', false)).toMatchObject({ ok: true, server: { enabled: false, state: 'disabled' } });
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
    await expect(running.call('upstream.a', 'echo')).rejects.toMatchObject({ executed: 'no' });
    expect(await test('a')).toMatchObject({ ok: true, server: { state: 'disabled' } });
    expect(await toggle('a', true)).toMatchObject({ ok: true, server: { enabled: true } });
    await running.call('upstream.a', 'echo');
    expect(await named('a')).toMatchObject({ state: 'connected' });
    expect(codeOf(await toggle('none', true))).toBe('UNKNOWN_SERVER');
    expect(codeOf(await toggle('filed', true))).toBe('READ_ONLY_ENTRY');
  });

  it('[UP-8] a hidden tool is neither listed nor callable, from now on and without a new session', async () => {
    const server = fixture();
    const { running, save, hide, named } = await run({ filed: { command: 'x', enabled: false } });
    const changes: string[] = [];
    await running.bus.listen(sourceChanged, ({ source }) => void changes.push(source));
    await save('a', entryOf(server));
    const namesOf = async () => (await running.describe('upstream.a')).tools.map(({ definition }) => definition.name);
    const all = await namesOf();
    expect(await hide('a', 'echo')).toMatchObject({
      ok: true,
      server: { hiddenTools: ['echo'], tools: all.length - 1 },
    });
    expect(changes).toEqual(['upstream.a']);
    expect(await namesOf()).toEqual(all.filter((name) => name !== 'echo'));
    await expect(running.call('upstream.a', 'echo')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL', executed: 'no' });
    expect(codeOf(await hide('a', 'nonesuch'))).toBe('UNKNOWN_TOOL');
    expect(codeOf(await hide('a', 'nonesuch', false))).toBe('UNKNOWN_TOOL');
    expect(codeOf(await hide('none', 'echo'))).toBe('UNKNOWN_SERVER');
    expect(codeOf(await hide('filed', 'echo'))).toBe('READ_ONLY_ENTRY');
    expect(await named('a')).toMatchObject({ hiddenTools: ['echo'], tools: all.length - 1 });
    await hide('a', 'echo', false);
    expect(await namesOf()).toEqual(all);
    await running.call('upstream.a', 'echo');
    expect(server.pids()).toHaveLength(1);
  });

  it('hiding takes names that can be, as many as an entry takes, and of a server out of reach too', async () => {
    const { save, hide, named } = await run({});
    await save('dead', entryOf(fixture({ exits: true })));
    for (const tool of ['', 'x'.repeat(257)])
      expect(await hide('dead', tool)).toMatchObject({ ok: false, error: { code: 'INVALID_FIELD', field: 'tool' } });
    expect(codeOf(await hide('dead', 'later'))).toBe('ok');
    expect(await named('dead')).toMatchObject({ hiddenTools: ['later'] });
    expect(codeOf(await hide('dead', 'later', false))).toBe('ok');
    expect(codeOf(await hide('dead', 'later', false))).toBe('UNKNOWN_TOOL');
    const hiddenTools = Array.from({ length: 1_000 }, (_, n) => `t${n}`);
    await save('full', { ...entryOf(fixture()), hiddenTools });
    expect(await hide('full', 'echo')).toMatchObject({ ok: false, error: { code: 'INVALID_FIELD', field: 'tool' } });
    expect(codeOf(await hide('full', 't0', false))).toBe('ok');
    expect(codeOf(await hide('full', 'echo'))).toBe('ok');
  });

  it('is answered while what it replaces is still ending', async () => {
    const server = fixture({ stubborn: true });
    const { running, save, remove, names } = await run({});
    await save('a', entryOf(server));
    const hanging = running.call('upstream.a', 'hang').catch((error: unknown) => error);
    await eventually(() => expect(server.events()).toContain('act hang'));
    expect(codeOf(await remove('a'))).toBe('ok');
    // Calls that run get 5 s, the process 2 s more.
    expect(server.pids().filter(isAlive)).toHaveLength(1);
    expect(await names()).toEqual([]);
    expect(await hanging).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
  });

  it('a built-in server can be switched off and its tools hidden, but neither replaced nor deleted', async () => {
    const { save, remove, toggle, hide, names, named } = await run();
    expect(await names()).toEqual(['files', 'memory']);
    expect(codeOf(await save('files', { url: 'https://a.example/' }))).toBe('READ_ONLY_ENTRY');
    expect(codeOf(await remove('files'))).toBe('READ_ONLY_ENTRY');
    expect(codeOf(await hide('memory', 'read_graph'))).toBe('ok');
    expect(await toggle('files', false)).toMatchObject({ ok: true, server: { source: 'builtin', state: 'disabled' } });
    expect(await named('memory')).toMatchObject({ tools: 8, hiddenTools: ['read_graph'] });
  });

  it('test connects anew, whatever the state, and tells what came of it', async () => {
    const server = fixture({ stderrLines: 2 });
    const { running, save, test } = await run({});
    await save('good', entryOf(server));
    await save('dead', entryOf(fixture({ exits: true })));
    await running.call('upstream.good', 'echo');
    const [pid] = server.pids();
    expect(await test('good')).toMatchObject({
      ok: true,
      server: {
        state: 'connected',
        era: 'legacy',
        protocolVersion: '2025-11-25',
        // Of both its processes.
        stderr: [stderrLine, stderrLine, stderrLine, stderrLine],
      },
    });
    expect(server.pids()).toHaveLength(2);
    expect(isAlive(pid!)).toBe(false);
    const { server: dead } = (await test('dead')) as { server: ServerState };
    expect(dead).toMatchObject({ state: 'failed', error: expect.stringContaining('dead'), tools: 0 });
    expect(Date.parse(dead.since!)).toBeGreaterThan(Date.now() - 60_000);
    expect(codeOf(await test('none'))).toBe('UNKNOWN_SERVER');
  });
});
