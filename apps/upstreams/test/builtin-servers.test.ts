import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readResource } from '@portico/contracts';
import { byName, programOf, published } from './published.js';
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
      expect(identity).toMatchObject({
        mount: 'namespace',
        callTimeoutMs: 120_000,
        description: expect.stringMatching(/^\w.*\.$/),
      });
    }
  });

  it('[FD-10] announce what each of their tools does, as the policy shipped with them says', async () => {
    const effects = async (name: 'files' | 'memory') => {
      const { tools } = await running.describe(`upstream.${name}`);
      const effect: Record<string, string[]> = { read: [], write: [], destructive: [] };
      for (const { definition, policy } of tools) effect[policy.effect]!.push(definition.name);
      return { effect, tools };
    };
    // Every tool that the two really publish: a new one must be looked at before it is more than a write.
    expect((await effects('files')).effect).toEqual({
      read: [
        'directory_tree',
        'get_file_info',
        'list_allowed_directories',
        'list_directory',
        'list_directory_with_sizes',
        'read_file',
        'read_media_file',
        'read_multiple_files',
        'read_text_file',
        'search_files',
      ],
      write: ['create_directory'],
      destructive: ['edit_file', 'move_file', 'write_file'],
    });
    const memory = await effects('memory');
    expect(memory.effect).toEqual({
      read: ['open_nodes', 'read_graph', 'search_nodes'],
      write: ['add_observations', 'create_entities', 'create_relations'],
      destructive: ['delete_entities', 'delete_observations', 'delete_relations'],
    });
    for (const { definition, policy } of memory.tools) {
      const kept = { effect: 'read', staleness: 'cached', cache: {} };
      const invalidates = ['memory.read_*', 'memory.search_*', 'memory.open_*'];
      expect([definition.name, policy]).toEqual([
        definition.name,
        policy.effect === 'read' ? kept : { effect: policy.effect, invalidates },
      ]);
    }
    for (const { policy } of (await effects('files')).tools) expect(Object.keys(policy)).toEqual(['effect']);
  });

  it('[FD-10] ship that policy for themselves alone: the same program under the same name in a file is not trusted', async () => {
    const env = { MEMORY_FILE_PATH: join(running.folder, 'own.jsonl') };
    const own = await runUpstreams({ memory: { command: process.execPath, args: [programOf('server-memory')], env } });
    try {
      const { tools } = await own.describe('upstream.memory');
      expect(tools.length).toBeGreaterThan(5);
      expect(tools.find(({ definition }) => definition.name === 'read_graph')).toMatchObject({
        definition: { annotations: { readOnlyHint: true } },
      });
      for (const { policy } of tools) expect(policy).toEqual({ effect: 'write' });
    } finally {
      await own.close();
    }
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
