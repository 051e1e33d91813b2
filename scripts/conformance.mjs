import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  clientScenarios,
  judgeAgainstBaseline,
  judgeRequirements,
  judgeScenarios,
  scenarioTable,
  startConformanceFixture,
  Suite,
} from '@portico/testkit/conformance';
import { RawClient } from './conformance-client.mjs';
import { startGateway } from './conformance-gateway.mjs';

const ROOT = join(import.meta.dirname, '..');
const MODERN = '2026-07-28';
const REVISIONS = ['2025-06-18', '2025-11-25', MODERN];
const HELP = `npm run conformance -- <revision>

Runs the official MCP conformance suite on both sides of Portico: against the front door with a fixture server as its
only upstream (and against that fixture directly, to compare), and as a client of the suite's own mock servers.

  <revision>   ${REVISIONS.join(' | ')} | all
  --server     the server side alone
  --client     the client side alone

What may fail is listed in test/conformance-baseline.json, which only shrinks. The suite is installed on first use.`;

const ABOUT_FAILED =
  'Whatever is marked FAILED above is listed in test/conformance-baseline.json, as what Portico does not offer in that revision; ' +
  'another failure, or a listed scenario that passes, is named here and ends with status 1.';

async function serverSide(suite, revision, baseline) {
  const fixture = await startConformanceFixture();
  try {
    const gateway = await startGateway(fixture.url);
    try {
      await upstreamHeard(gateway.url);
      const args = revision === MODERN ? ['--requirements', MODERN] : ['--suite', 'all', '--spec-version', revision];
      const direct = await suite.run(['server', '--url', fixture.url, ...args], process.env);
      const through = await suite.run(['server', '--url', gateway.url, ...args], process.env);
      console.log(`\n${revision}, server side\n`);
      console.log(scenarioTable({ fixture: direct.checks, 'front door': through.checks }));
      const runs = { fixture: direct, gateway: through };
      const wrong =
        revision === MODERN ? judgeRequirements(runs) : judgeAgainstBaseline(runs, baseline.server[revision]);
      const death = gateway.died();
      return death === undefined ? wrong : [death, ...wrong];
    } finally {
      await gateway.stop();
    }
  } finally {
    await fixture.close();
  }
}

/** Portico never waits for an upstream; the suite should meet one that has been heard. */
async function upstreamHeard(url) {
  const client = new RawClient(url, MODERN);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { tools } = await client.ask('tools/list');
    if (tools.some(({ name }) => name === 'test_simple_text')) return;
    await pause(100);
  }
  throw new Error("The fixture's tools never appeared at the front door.");
}

async function clientSide(suite, revision, baseline) {
  const driver = `${process.execPath} ${join(ROOT, 'scripts', 'conformance-driver.mjs')}`;
  const scenarios = clientScenarios(await suite.list(process.env))
    .filter(({ revisions }) => revisions.includes(revision))
    .map(({ name }) => name);
  if (scenarios.length === 0) return [`No client scenario was found for ${revision}.`];
  const found = new Map();
  for (const name of scenarios) {
    const args = ['client', '--command', driver, '--scenario', name, '--spec-version', revision];
    const { exitCode, checks, output } = await suite.run(args, process.env);
    // The suite also counts a driver that failed or hung, which no check shows.
    const failure = { id: 'exit-code', name: 'ExitCode', status: 'FAILURE', errorMessage: `exit code ${exitCode}` };
    found.set(name, [...(checks.get(name) ?? []), ...(exitCode === 0 ? [] : [failure])]);
    if (exitCode !== 0 && !baseline.client[revision].includes(name)) console.log(output);
  }
  console.log(`\n${revision}, client side\n`);
  console.log(scenarioTable({ 'as a client': found }));
  return judgeScenarios(scenarios, found, baseline.client[revision]);
}

async function main(args) {
  const [asked] = args.filter((arg) => !arg.startsWith('--'));
  const revisions = asked === 'all' ? REVISIONS : REVISIONS.filter((revision) => revision === asked);
  if (revisions.length === 0) {
    console.log(HELP);
    return asked === undefined ? 0 : 1;
  }
  const baseline = JSON.parse(await readFile(join(ROOT, 'test', 'conformance-baseline.json'), 'utf8'));
  const suite = await Suite.install(join(ROOT, '.cache', 'conformance'), process.env);
  const wrong = [];
  for (const revision of revisions) {
    if (!args.includes('--client')) wrong.push(...(await serverSide(suite, revision, baseline)));
    if (!args.includes('--server')) wrong.push(...(await clientSide(suite, revision, baseline)));
  }
  console.log(
    wrong.length === 0 ? `\nAll as it should be. ${ABOUT_FAILED}` : `\n${wrong.length} wrong:\n- ${wrong.join('\n- ')}`,
  );
  return wrong.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
