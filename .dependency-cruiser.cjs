/** The arrows between workspaces: what each package may import of the others. Apps may import every package but testkit. */
const ARROWS = {
  contracts: [],
  settings: [],
  storage: [],
  embedding: [],
  observe: ['settings'],
  resilience: ['contracts'],
  bus: ['contracts'],
  'mcp-session': ['contracts'],
  'domain-kit': ['bus', 'contracts', 'observe', 'settings'],
};
/** What may import OpenTelemetry, and is imported only once telemetry is on. */
const OTLP = '^packages/observe/src/(otlp|otlp-span|metric-producer|watched-exporter)\\.ts$';
const TESTS = '(\\.spec\\.ts$|/test/)';

const packageArrows = Object.entries(ARROWS).map(([name, allowed]) => ({
  name: `arrows-of-${name}`,
  comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}: the arrows run one way.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TESTS },
  to: { path: '^(packages|apps)/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...packageArrows,
    {
      name: 'contracts-on-zod-alone',
      comment: 'The language of the house depends on nothing but zod.',
      severity: 'error',
      from: { path: '^packages/contracts/src/', pathNot: TESTS },
      to: { pathNot: '^(packages/contracts/|node_modules/zod/)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'no-app-imports-an-app',
      comment: 'Apps meet on the bus. Only `local`, which runs them all, imports them.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: `^apps/local/|${TESTS}` },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-package-imports-an-app',
      comment: 'Packages stand below the apps.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TESTS },
      to: { path: '^apps/' },
    },
    {
      name: 'no-deep-import',
      comment: 'A package is entered by its front door, index.ts.',
      severity: 'error',
      from: { path: '^(?:apps|packages|test)/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/(?:$1/|[^/]+/src/index\\.ts$)' },
    },
    {
      name: 'no-deep-import-of-an-app',
      comment: 'An app is entered by its module.',
      severity: 'error',
      from: { path: '^(?:apps|packages)/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/(?:$1/|[^/]+/src/[^/]+\\.module\\.ts$)' },
    },
    {
      name: 'opentelemetry-is-behind-otlp',
      comment: 'It takes 100 ms to load, which nobody pays who has no collector.',
      severity: 'error',
      from: { pathNot: OTLP },
      to: { path: '^node_modules/@opentelemetry/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'otlp-is-loaded-late',
      comment: 'Only by the import() of telemetry.ts.',
      severity: 'error',
      from: { pathNot: OTLP },
      to: { path: OTLP, dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-test-in-the-product',
      comment: 'What ships never imports a test, or the kit that tests are made with.',
      severity: 'error',
      from: { path: '^(apps|packages)/[^/]+/src/', pathNot: '\\.spec\\.ts$|^packages/testkit/' },
      to: { path: '^packages/testkit/|\\.spec\\.ts$|^(apps|packages)/[^/]+/test/' },
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-resolved',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tests.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
