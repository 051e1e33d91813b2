import { manifestCommand } from './manifest-command.js';

process.exitCode = await manifestCommand(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
