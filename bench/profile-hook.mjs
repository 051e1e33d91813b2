import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

// Preloaded into a measured process by `bench/profile.mjs`: SIGUSR2 starts the CPU profiler, the next one stops it and
// writes what it saw. So the profile holds the load alone, not the start, and needs no help from what is profiled.

const SAMPLE_MICROS = 200;
const session = new Session();
session.connect();
let profiling = false;

process.on('SIGUSR2', () => {
  profiling = !profiling;
  if (profiling) {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
    return session.post('Profiler.start');
  }
  session.post('Profiler.stop', (error, { profile }) => {
    if (error !== null) throw error;
    writeFileSync(join(process.env.BENCH_PROFILES ?? '.', `${process.pid}.cpuprofile`), JSON.stringify(profile));
  });
});
