import type { Seeded } from '../seeded.js';

/** JSON texts that parsers, mergers and loggers have stumbled over. */
const TEXTS: readonly ((seeded: Seeded) => string)[] = [
  () => '1e400',
  () => '-1e400',
  () => '9007199254740993',
  () => '123456789012345678901234567890.5',
  () => '-0',
  () => '1e-400',
  (seeded) => '9'.repeat(1 + seeded.below(2_000)),
  (seeded) => `0.${'1'.repeat(1 + seeded.below(500))}`,
  () => 'null',
  () => 'true',
  () => '[]',
  () => '{}',
  () => '""',
  () => '"\\u0000"',
  () => '"\\ud800"',
  () => '"\\udfff\\ud800"',
  () => '"\\u202e\\u200b"',
  () => '"../../../../etc/passwd"',
  () => '"file:///etc/passwd"',
  () => '"http://169.254.169.254/latest/meta-data"',
  () => '"${jndi:ldap://x/y}"',
  () => '"\\r\\nX-Injected: yes"',
  () => '"%s%n%x"',
  (seeded) => `"${'A'.repeat(1 + seeded.below(20_000))}"`,
  () => '{"__proto__":{"polluted":true}}',
  () => '{"constructor":{"prototype":{"polluted":true}}}',
  () => '{"toString":1,"valueOf":2,"toJSON":3,"then":4,"hasOwnProperty":5}',
  () => '{"length":1e9}',
  () => '{"$ref":"http://127.0.0.1:1/x"}',
  () => '{"a":1,"a":2}',
  (seeded) => nested('[', ']', 1 + seeded.below(3_000)),
  (seeded) => nested('{"a":', '}', 1 + seeded.below(3_000)),
  (seeded) => `[${'0,'.repeat(seeded.below(5_000))}0]`,
  (seeded) => `{${Array.from({ length: seeded.below(500) }, (_, index) => `"k${index}":${index}`).join(',')}}`,
];

const nested = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth);

/** Some valid JSON that nobody asked for, as text: what a parsed value could not say, such as a key twice. */
export const hostileValue = (seeded: Seeded): string => seeded.pick(TEXTS)(seeded);
