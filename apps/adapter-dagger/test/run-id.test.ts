import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DaggerWorld } from './dagger-world.js';

let world: DaggerWorld;
beforeAll(async () => (world = await DaggerWorld.start()));
afterAll(async () => {
  await world.close();
  expect(world.dispatcher.violations).toEqual([]);
});

const TOOLS = ['get_run', 'get_logs', 'list_artifacts'];

describe('[AD-8] a run_id', () => {
  it.each([
    ['a way up', '../runs'],
    ['a way up inside', 'build-44/../build-43'],
    ['a way up for another system', '..\\runs'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['an encoded dot', '%2e%2e'],
    ['an encoded way up', '%2e%2e%2fruns'],
    ['a twice encoded way up', '%252e%252e%252f'],
    ['an encoded slash', 'build%2f44'],
    ['NUL', 'build-44\u0000'],
    ['an encoded NUL', 'build-44%00'],
    ['a line end', 'build-44\n'],
    ['a header', 'build-44 HTTP/1.1\r\nX: y'],
    ['a space', 'build 44'],
    ['a space at its end', 'build-44 '],
    ['a query', 'build-44?status=x'],
    ['a fragment', 'build-44#x'],
    ['parameters', 'build-44;x=y'],
    ['another host', '//evil.example/x'],
    ['a URL', 'https://evil.example/x'],
    ['a Cyrillic а', 'b\u0430se-44'],
    ['a full-width digit', 'build-\uff14'],
    ['a full-width solidus', 'build\uff0f44'],
    ['a full-width dot', '\uff0e\uff0e'],
    ['a one dot leader', '\u2024\u2024'],
    ['a hyphen that is another', 'build\u201044'],
    ['a ligature', '\ufb01x'],
    ['a Kelvin sign', '\u212a44'],
    ['a dotless i', 'bu\u0131ld-44'],
    ['a letter with an accent of its own', 'e\u0301-44'],
    ['a zero-width space', 'build\u200b-44'],
    ['half a surrogate pair', 'build-\ud83d'],
    ['upper case', 'BUILD-44'],
    ['a hyphen first', '-build'],
    ['an underscore', 'build_44'],
    ['nothing', ''],
    ['64 characters', 'a'.repeat(64)],
    ['very many characters', 'a'.repeat(100_000)],
    ['a number', 44],
    ['null', null],
    ['a list', ['build-44']],
    ['an object', { toString: 'build-44' }],
    ['nothing at all', undefined],
  ])('with %s never reaches the dispatcher', async (_name, run_id) => {
    const before = world.dispatcher.requests.length;
    for (const tool of TOOLS) {
      const fault = await world.fault(tool, run_id === undefined ? {} : { run_id });
      expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    }
    expect(world.dispatcher.requests).toHaveLength(before);
  });

  it.each(['a', '0', '0-', 'constructor', 'a'.repeat(63), '018f2c6a-7b3d-7c1e-9a55-0242ac120002'])(
    'that is %s is one segment of the path',
    async (run_id) => {
      const before = world.dispatcher.requests.length;
      for (const tool of TOOLS) expect(await world.fault(tool, { run_id })).toMatchObject({ code: 'NOT_FOUND' });
      const paths = world.dispatcher.requests.slice(before).map(({ url }) => url.split('?')[0]);
      expect(paths).toEqual([`/v1/runs/${run_id}`, `/v1/runs/${run_id}/logs`, `/v1/runs/${run_id}/artifacts`]);
    },
  );
});
