import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readResource } from '@portico/contracts';
import { byName, published } from './published.js';
import { runUpstreams } from './running.js';
import type { Running } from './running.js';

describe('the built-in servers', () => {
  let running: Running;
  beforeEach(async () => {
    running = await runUpstreams();
  });
  afterEach(() => running.close());

  it('files: writes and reads in the workspace, which is made at first use and not before', async () => {
    const workspace = join(running.folder, 'workspace');
    expect(existsSync(workspace)).toBe(false);
    const path = join(workspace, 'note.txt');
    const written = await running.call('upstream.files', 'write_file', { path, content: 'hello' });
    expect(written.isError).toBeFalsy();
    expect(await readFile(path, 'utf8')).toBe('hello');
    expect(await readFile(join(workspace, 'welcome.md'), 'utf8')).toContain('# Workspace');
    expect(await running.call('upstream.files', 'read_text_file', { path })).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
    });
    expect(await running.call('upstream.files', 'read_text_file', { path: '/etc/hostname' })).toMatchObject({
      isError: true,
    });
  });

  it('memory: keeps what it is told under PORTICO_HOME', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    await running.call('upstream.memory', 'create_entities', { entities });
    expect(await readFile(join(running.folder, 'home', 'memory.jsonl'), 'utf8')).toContain('Ada');
    const { content } = await running.call('upstream.memory', 'search_nodes', { query: 'Ada' });
    expect(JSON.stringify(content)).toContain('wrote the first program');
  });

  it('[FD-14][UP-5] publish each tool exactly as they do themselves', async () => {
    await running.call('upstream.files', 'list_allowed_directories');
    const direct = {
      files: await published('server-filesystem', [join(running.folder, 'workspace')]),
      memory: await published('server-memory', [], { MEMORY_FILE_PATH: join(running.folder, 'other.jsonl') }),
    };
    for (const name of ['files', 'memory'] as const) {
      const { tools, identity } = await running.describe(`upstream.${name}`);
      expect(tools.length).toBeGreaterThan(5);
      expect(tools.map(({ definition }) => definition)).toEqual(byName(direct[name]));
      expect(identity).toMatchObject({ mount: 'namespace', callTimeoutMs: 120_000, description: expect.any(String) });
    }
  });

  it('are taken to write, whatever they hint at', async () => {
    const { tools } = await running.describe('upstream.files');
    expect(tools.find(({ definition }) => definition.name === 'read_text_file')).toMatchObject({
      definition: { annotations: { readOnlyHint: true } },
      policy: { effect: 'write' },
    });
    expect(new Set(tools.map(({ policy }) => policy.effect))).toEqual(new Set(['write']));
  });

  it('[FD-31] federate resources: what memory offers is read through the bus', async () => {
    const { resources } = await running.describe('upstream.memory');
    expect(resources.length).toBeGreaterThan(0);
    const { contents } = await running.bus.ask(
      readResource('upstream.memory'),
      { uri: resources[0]!.uri },
      { deadlineMs: 20_000 },
    );
    expect(contents).toMatchObject([{ uri: resources[0]!.uri }]);
  });

  it('leave a workspace that exists as it is', async () => {
    const workspace = join(running.folder, 'workspace');
    await running.call('upstream.files', 'list_allowed_directories');
    await writeFile(join(workspace, 'welcome.md'), 'mine');
    const again = await runUpstreams(undefined, { WORKSPACE: workspace });
    await again.call('upstream.files', 'list_allowed_directories');
    await again.close();
    expect(await readFile(join(workspace, 'welcome.md'), 'utf8')).toBe('mine');
  });
});
