/** @typedef {{ name: string, concurrency: number, latencies: number[], errors: number, seconds: number }} Measured */

/**
 * Does something `count` times by `concurrency` callers, each the next one when it has its answer.
 * @param {string} name @param {{ count: number, concurrency?: number, warm?: number }} plan @param {(n: number) => Promise<unknown>} act
 * @returns {Promise<Measured>}
 */
export const measure = async (name, { count, concurrency = 1, warm = 0 }, act) => {
  for (let n = 0; n < warm; n += 1) await act(-1 - n);
  const latencies = /** @type {number[]} */ ([]);
  let [next, errors] = [0, 0];
  const began = performance.now();
  const caller = async () => {
    while (next < count) {
      const n = next++;
      const started = performance.now();
      try {
        await act(n);
      } catch {
        errors += 1;
      }
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  console.error(`  ${name}`);
  return { name, concurrency, latencies, errors, seconds: (performance.now() - began) / 1_000 };
};
