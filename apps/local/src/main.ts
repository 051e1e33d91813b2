import { createLog, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { help } from './help.js';
import { startPortico } from './local.module.js';
import { readLogConfig } from './log-config.js';
import { welcome } from './welcome.js';

const words = process.argv.slice(2);
const unknown = words.find((word) => word !== '--help' && word !== '-h');

if (unknown !== undefined) {
  process.stderr.write(`${JSON.stringify(unknown.slice(0, 100))} is not known here: --help says what there is.\n`);
  process.exitCode = 1;
} else if (words.length > 0) {
  process.stdout.write(help());
} else {
  await runService(async () => {
    const env = withDotEnv(process.env, process.cwd());
    const config = readLogConfig(env);
    const portico = await startPortico(env, createLog({ name: 'portico', ...config }), 0);
    void welcome(portico, (text) => process.stdout.write(text));
    return portico;
  });
}
