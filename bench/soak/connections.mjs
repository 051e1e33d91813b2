import { callTool, deleteServer, saveServer, testServer, toggleServer } from '@portico/contracts';
import { openPortico, tinyServer } from './room.mjs';

// A stdio server connected and disconnected again and again, by the operators' calls: every second time it is made anew
// on its session, whose era is remembered, else it is switched off and on.

const SIDE_BY_SIDE = 4;
const call = { tool: 'echo', arguments: {} };

/** @param {unknown} changed @param {string} what */
const must = (changed, what) => {
  const { ok, server } = /** @type {any} */ (changed);
  if (!ok || server?.state === 'failed') throw new Error(`${what} failed: ${JSON.stringify(changed)}`);
};

export const connections = {
  title: 'connect/disconnect cycles of a stdio server',
  async open() {
    const { bus, close } = await openPortico({});
    const names = Array.from({ length: SIDE_BY_SIDE }, (_, n) => `tiny-${n}`);
    for (const name of names) must(await bus.ask(saveServer, { name, entry: tinyServer }), 'save');
    return {
      /** @param {number} cycles */
      async run(cycles) {
        let left = cycles;
        const cycling = async (/** @type {string} */ name) => {
          while (left-- > 0) {
            await bus.ask(callTool(`upstream.${name}`), call, { deadlineMs: 30_000 });
            if (left % 2 === 0) must(await bus.ask(testServer, { name }), 'test');
            else for (const enabled of [false, true]) must(await bus.ask(toggleServer, { name, enabled }), 'toggle');
          }
          // As it was: no process runs.
          for (const enabled of [false, true]) await bus.ask(toggleServer, { name, enabled });
        };
        await Promise.all(names.map(cycling));
      },
      async close() {
        for (const name of names) await bus.ask(deleteServer, { name });
        await close();
      },
    };
  },
};
