import { cacheCommand } from './cache-command.js';

process.exitCode = await cacheCommand(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
