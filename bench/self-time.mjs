import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOT_WORK = new Set(['(idle)', '(root)']);
/** What starts and stops the profiler is no part of a call. */
const HOOK = new URL('./profile-hook.mjs', import.meta.url).href;

/** @typedef {{ functionName: string, url: string, lineNumber: number }} Frame */
/** @typedef {{ nodes: { id: number, callFrame: Frame, children?: number[] }[], samples: number[], timeDeltas: number[] }} Profile */

/** @param {string} url */
const pathOf = (url) => (url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : url);

/** A function and where it lives, as short as it stays clear. @param {Frame} frame */
const nameOf = ({ functionName, url, lineNumber }) => {
  const place = url === '' ? 'native' : `${pathOf(url).replace('node_modules/', '')}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}  ${place}`;
};

/** Whose code it is: an app or package of ours, a dependency, or Node itself. @param {Frame} frame */
const ownerOf = ({ functionName, url }) => {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url.startsWith('node:')) return url.replace(/^node:internal\//, 'node:').split('/', 1)[0];
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return dependency ?? pathOf(url).split('/').slice(0, 2).join('/');
};

const isOurs = (/** @type {Frame} */ frame) => /^(apps|packages|bench)\//.test(ownerOf(frame));

/**
 * Where the microseconds of one `.cpuprofile` went, largest first: by owner, in each function itself, and, with
 * all that it called, in each function that is ours or that ours called.
 * @param {Profile} profile
 */
export const whereTimeWent = ({ nodes, samples, timeDeltas }) => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const isHook = (/** @type {number | undefined} */ id) => {
    for (let at = id; at !== undefined; at = parents.get(at)) if (frames.get(at)?.url === HOOK) return true;
    return false;
  };
  const [owners, functions, inclusive] = [1, 2, 3].map(() => /** @type {Map<string, number>} */ (new Map()));
  let total = 0;
  samples.forEach((id, index) => {
    const frame = /** @type {Frame} */ (frames.get(id));
    const micros = timeDeltas[index] ?? 0;
    if (NOT_WORK.has(frame.functionName) || isHook(id)) return;
    const add = (/** @type {Map<string, number>} */ to, /** @type {string} */ key) =>
      to.set(key, (to.get(key) ?? 0) + micros);
    total += micros;
    add(owners, ownerOf(frame));
    add(functions, nameOf(frame));
    const above = /** @type {Set<string>} */ (new Set());
    for (let at = /** @type {number | undefined} */ (id); at !== undefined; at = parents.get(at)) {
      const [called, caller] = [frames.get(at), frames.get(parents.get(at) ?? 0)];
      if (called !== undefined && (isOurs(called) || (caller !== undefined && isOurs(caller))))
        above.add(nameOf(called));
    }
    for (const name of above) add(inclusive, name);
  });
  const largestFirst = (/** @type {Map<string, number>} */ of) => [...of].sort(([, a], [, b]) => b - a);
  return {
    total,
    owners: largestFirst(owners),
    functions: largestFirst(functions),
    inclusive: largestFirst(inclusive),
  };
};
