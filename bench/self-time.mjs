import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOT_WORK = new Set(['(idle)', '(root)']);

/** @typedef {{ functionName: string, url: string, lineNumber: number }} Frame */

/** Where a function lives, as short as it stays clear. @param {Frame} frame */
const placeOf = ({ url, lineNumber }) => {
  if (url === '') return 'native';
  const path = url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : url;
  return `${path.replace('node_modules/', '')}:${lineNumber + 1}`;
};

/** Whose code it is: an app or package of ours, a dependency, or Node itself. @param {Frame} frame */
const ownerOf = ({ functionName, url }) => {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url.startsWith('node:')) return url.replace(/^node:internal\//, 'node:').split('/', 1)[0];
  const path = url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : url;
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return dependency ?? path.split('/').slice(0, 2).join('/');
};

/**
 * Microseconds spent in each function itself and in each owner's functions, largest first, of one `.cpuprofile`.
 * @param {{ nodes: { id: number, callFrame: Frame }[], samples: number[], timeDeltas: number[] }} profile
 */
export const selfTimes = ({ nodes, samples, timeDeltas }) => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = /** @type {Map<string, number>} */ (new Map());
  const owners = /** @type {Map<string, number>} */ (new Map());
  let total = 0;
  const add = (/** @type {Map<string, number>} */ to, /** @type {string} */ key, /** @type {number} */ micros) =>
    to.set(key, (to.get(key) ?? 0) + micros);
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame === undefined || NOT_WORK.has(frame.functionName)) return;
    const micros = timeDeltas[index] ?? 0;
    total += micros;
    add(functions, `${frame.functionName || '(anonymous)'}  ${placeOf(frame)}`, micros);
    add(owners, ownerOf(frame), micros);
  });
  const largestFirst = (/** @type {Map<string, number>} */ of) => [...of].sort(([, a], [, b]) => b - a);
  return { total, functions: largestFirst(functions), owners: largestFirst(owners) };
};
