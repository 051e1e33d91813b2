import type { Bus, Subscription } from '@portico/bus';
import { serverCalls } from '@portico/contracts';
import { closeTogether } from '../closed.js';
import type { AdminParts } from './admin-parts.js';
import { remove } from './delete-server.js';
import { hide } from './hide-tool.js';
import { listKnown } from './list-known-servers.js';
import { listAll } from './list-servers.js';
import { Prewarming } from './prewarm-servers.js';
import { save } from './save-server.js';
import { test } from './test-server.js';
import { toggle } from './toggle-server.js';

/** Puts the calls of operators on the bus. Whichever instance answers works on what the store has at that moment. */
export async function serveAdmin(parts: AdminParts): Promise<{ close(): Promise<void> }> {
  const { bus } = parts;
  const prewarming = new Prewarming(parts);
  const opened: Subscription[] = [];
  const close = (): Promise<void> => closeTogether([prewarming, ...opened]);
  const serve: Bus['serve'] = async (call, handler, options) => {
    const subscription = await bus.serve(call, handler, options);
    opened.push(subscription);
    return subscription;
  };
  try {
    await serve(serverCalls.list, () => listAll(parts));
    await serve(serverCalls.catalog, () => listKnown(parts));
    await serve(serverCalls.save, ({ name, entry }) => save(parts, name, entry));
    await serve(serverCalls.delete, ({ name }) => remove(parts, name));
    await serve(serverCalls.toggle, ({ name, enabled }) => toggle(parts, name, enabled));
    await serve(serverCalls.tool, ({ name, tool, hidden }) => hide(parts, name, tool, hidden));
    await serve(serverCalls.test, ({ name }, { signal }) => test(parts, name, signal));
    await serve(serverCalls.prewarm, async () => {
      prewarming.start();
      return { ok: true as const };
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
