/** What the double has: 45 runs, the newest of which is under way, and one that failed. */
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 30, 8, minute)).toISOString();

interface RunRecord {
  readonly id: string;
  readonly pipeline: string;
  readonly status: string;
  readonly created_at: string;
  readonly source: { readonly repo: string; readonly branch: string; readonly commit: string };
  readonly [field: string]: unknown;
}

const run = (number: number): RunRecord => ({
  id: `build-${number}`,
  pipeline: number % 2 === 0 ? 'shop' : 'site',
  function: 'build',
  status: 'completed',
  conclusion: 'success',
  attempt: 1,
  trigger: { type: 'push', actor: 'ada' },
  source: {
    repo: 'https://git.example.com/shop',
    branch: number % 3 === 0 ? 'main' : 'feature/x',
    commit: `${number}`.padStart(40, 'a'),
  },
  created_at: at(number),
  started_at: at(number),
  finished_at: at(number + 1),
  duration_ms: 60_000,
  steps: [
    { name: 'build', status: 'completed', conclusion: 'success', started_at: at(number), finished_at: at(number + 1) },
  ],
  dagger_version: '0.21.9',
  worker: 'ci-7.internal',
});

export const RUNS: readonly RunRecord[] = [
  {
    ...run(45),
    status: 'running',
    conclusion: null,
    finished_at: null,
    duration_ms: undefined,
    steps: [{ name: 'build', status: 'running', conclusion: null, started_at: at(45), finished_at: null }],
  },
  {
    ...run(44),
    conclusion: 'failure',
    steps: [
      { name: 'build', status: 'completed', conclusion: 'success' },
      { name: 'test', status: 'completed', conclusion: 'failure' },
    ],
    error: { message: 'exit code 1', step: 'test' },
    trace_url: 'https://dagger.cloud/traces/44',
  },
  ...Array.from({ length: 43 }, (_, index) => run(43 - index)),
];

const line = (seq: number, step: string, stream: string, text: string) => ({ seq, ts: at(44), step, stream, text });

export const LOG: Readonly<Record<string, readonly ReturnType<typeof line>[]>> = {
  'build-44': [
    line(0, 'build', 'stdout', '\u001b[32mcompiled\u001b[0m in 3 s'),
    line(1, 'test', 'stderr', 'expected 1, got 2'),
    line(2, 'test', 'stdout', 'x'.repeat(1_005)),
    line(3, 'test', 'stdout', 'the end'),
  ],
  'build-45': [line(0, 'build', 'stdout', 'compiling')],
};

const artifact = (name: string, size_bytes: number) => ({
  name,
  size_bytes,
  sha256: 'ab'.repeat(32),
  content_type: 'application/octet-stream',
  created_at: at(44),
  expires_at: null,
  download_url: 'http://store.internal:9000/x',
});

export const ARTIFACTS: Readonly<Record<string, readonly ReturnType<typeof artifact>[]>> = {
  'build-44': [artifact('report.xml', 2_048), artifact('coverage.tar', 10_240)],
  'build-43': Array.from({ length: 450 }, (_, index) => artifact(`part-${String(index).padStart(3, '0')}`, 1)),
};
