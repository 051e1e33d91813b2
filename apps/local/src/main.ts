import { createLog, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { help } from './help.js';
import { startPortico } from './local.module.js';
import { readLogConfig } from './log-config.js';
import { welcome } from './welcome.js';

if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
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
