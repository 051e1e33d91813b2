import { readConfig, startAdapterGithub } from '@portico/adapter-github';
import { createLog } from '@portico/observe';
import { describeDomain } from '@portico/testkit';
import { GithubDouble, TOKEN } from './github-double.js';
import { LISTED, SHOP } from './github-world.js';

describeDomain('github', async () => {
  const github = await GithubDouble.start();
  const config = readConfig({ GITHUB_API_URL: github.proxy.url, GITHUB_REPOSITORIES: LISTED, GITHUB_TOKEN: TOKEN })!;
  const log = createLog({ level: 'silent', name: 'test' });
  return {
    source: 'domain.github',
    serve: (bus) => startAdapterGithub(bus, config, log),
    backendRequests: () => github.proxy.requests.length,
    badArguments: { tool: 'get_file', arguments: { ...SHOP, path: '../vault' } },
    hang() {
      const arrived = github.proxy.arrived();
      let release = () => {};
      github.proxy.faults.push((response) => void (release = () => response.end()));
      return { tool: 'get_issue', arguments: { ...SHOP, number: 1 }, arrived: () => arrived, release: () => release() };
    },
    close: () => github.close(),
  };
});
