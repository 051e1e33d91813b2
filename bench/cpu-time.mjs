import { readFileSync, readdirSync } from 'node:fs';

const MICROS_PER_TICK = 10_000;

/** The fields of /proc/<pid>/stat after the program's name, which may hold spaces. @param {number | string} pid */
const statOf = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

/**
 * CPU microseconds that these processes and their children have used; NaN where the system does not tell.
 * Steadier than speed on a machine that others use too. @param {number[]} pids
 */
export const cpuMicros = (pids) => {
  try {
    const wanted = new Set(pids);
    let micros = 0;
    for (const entry of readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .sort((a, b) => Number(a) - Number(b))) {
      try {
        const stat = statOf(entry);
        if (!wanted.has(Number(entry)) && !wanted.has(Number(stat[1]))) continue;
        wanted.add(Number(entry));
        micros += (Number(stat[11]) + Number(stat[12])) * MICROS_PER_TICK;
      } catch {
        // It ended while we looked.
      }
    }
    return micros;
  } catch {
    return NaN;
  }
};
