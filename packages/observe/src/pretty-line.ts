const COLOURS: Record<string, string> = {
  debug: '\u001b[90m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
/** A service's own: told apart at a glance where several write to one terminal. */
const OF_SERVICES = [32, 34, 35, 36, 92, 93, 94, 95, 96].map((code) => `\u001b[${code}m`);
const RESET = '\u001b[0m';

/** A JSON log line as one line for people: time, level, service, event, fields. Nothing in a value can break the line. */
export function prettyLine(json: string, colour: boolean): string {
  const { time, level, name, event, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const word = String(level);
  const shown = colour ? `${COLOURS[word] ?? ''}${word.padEnd(5)}${RESET}` : word.padEnd(5);
  const service = colour ? `${ofService(plain(name))}${plain(name)}${RESET}` : plain(name);
  const pairs = Object.entries(fields).map(([key, value]) => `${plain(key)}=${pretty(value)}`);
  return (
    [String(time).slice(11, 23), shown, service, plain(event), ...pairs].filter((part) => part !== '').join(' ') + '\n'
  );
}

const ofService = (name: string): string => {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 9973;
  return OF_SERVICES[sum % OF_SERVICES.length] as string;
};

const plain = (value: unknown): string => (value === undefined ? '' : JSON.stringify(String(value)).slice(1, -1));

const pretty = (value: unknown): string => {
  if (isError(value)) return JSON.stringify(chain(value));
  return typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
};

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

const isError = (value: unknown): value is ErrorFields =>
  typeof value === 'object' && value !== null && 'type' in value && 'message' in value;

/** "TypeError: x (at file:1:2), caused by Error: y": the first frame is enough here, the JSON format has the stack. */
const chain = ({ type, message, stack, cause }: ErrorFields): string => {
  const frame = stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  const place = frame === undefined ? '' : ` (${frame.trim()})`;
  return `${type}: ${message}${place}${isError(cause) ? `, caused by ${chain(cause)}` : ''}`;
};
