/** A run of text without spaces, quotes or brackets: what is judged as one thing. */
const WORD = /[^\s"'`<>(){}[\],;|=&]+/g;

const SOURCE_FILE =
  /\.(?:[cm]?[jt]sx?|py|go|java|kt|rb|php|rs|cs|cpp|c|h|lua|sh|sql|ya?ml|conf|cfg|ini|env|log|pem|key|crt|sock)(?::\d+){0,2}$/;
const TRACED_FILE = /^[\w.-]+\.(?:[cm]?[jt]sx?|py|go|java|kt|rb|php|rs|cs|cpp|c|h):\d+(?::\d+)?$/;
const TOKEN_PREFIX =
  /^(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeoprs]|xapp|npm|pypi|hf|dop_v1|whsec|AKIA|ASIA|AIza|ya29|SG|shpat|lin_api|plane_api|n8n_api)[-_.A-Z0-9]\S{7,}$/;
const INSIDE = /(?:^|\.)(?:internal|local|localdomain|svc|corp|lan|intranet|home|private|priv|consul|localhost|arpa)$/i;
const PUBLIC = /\.(?:com|net|org|io|dev|app|cloud|co|ai|eu|de|uk|us|gov|edu|mil|info|biz|tech|sh|xyz|site|online)$/i;
const HOST_NAME = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})\.){0,16}[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;

const isHost = (word: string): boolean => {
  const [name = '', port, ...more] = word.split(':');
  if (more.length > 0 || !HOST_NAME.test(name)) return false;
  if (/^localhost$/i.test(name)) return true;
  const named = (INSIDE.test(name) && name.includes('.')) || (PUBLIC.test(name) && !name.endsWith('.k8s.io'));
  if (port === undefined) return named;
  if (!/^\d{2,5}$/.test(port) || /^\d+$/.test(name)) return false;
  return named || name.includes('.') || name.includes('-') || port.length >= 4 || port === '80' || port === '443';
};

const isIpv6 = (word: string): boolean => {
  const bare = word.replace(/%[\w.-]{1,32}$/, '').replace(/\/\d{1,3}$/, '');
  if (!/^[0-9A-Fa-f:.]{2,45}$/.test(bare)) return false;
  return bare.includes('::') || bare.split(':').length === 8;
};

/** Whether a run of letters and digits looks drawn at random: long, and of every kind. */
const isToken = (word: string): boolean => {
  if (TOKEN_PREFIX.test(word) || /^eyJ[\w-]{8,}/.test(word) || word.startsWith('arn:')) return true;
  for (const run of word.match(/[A-Za-z0-9_+/-]{24,}/g) ?? []) {
    const digits = run.match(/\d/g)?.length ?? 0;
    const mixed = /[a-z]/.test(run) && /[A-Z]/.test(run);
    if (mixed && (digits >= 2 || run.length >= 40)) return true;
    // Ids of one case with hyphens (a UUID, a pod) stay readable; one unbroken run of them does not.
    if (digits > 0 && run.split(/[-_/]/).some((part) => part.length >= 32 && /[A-Za-z]/.test(part))) return true;
  }
  return false;
};

const isPath = (word: string): boolean =>
  /^(?:~?\/|\.{1,2}[\\/])[^/\\]/.test(word) ||
  /^\/\/./.test(word) ||
  /(?:^|[^A-Za-z])[A-Za-z]:[\\/]/.test(word) ||
  word.startsWith('\\\\') ||
  /:~?\/./.test(word) ||
  /%2f|%5c/i.test(word) ||
  /^[^\\]+\\[^\\]+\\/.test(word) ||
  /(?:node_modules|site-packages)/.test(word) ||
  (/[\\/]/.test(word) && SOURCE_FILE.test(word)) ||
  TRACED_FILE.test(word);

const placeholder = (word: string): string | undefined => {
  if (isPath(word)) return '[path]';
  if (isToken(word)) return '[redacted]';
  if (/^[^@]+@[\w.-]*[A-Za-z_-][\w.-]*(?::\d+)?(?:\/.*)?$/.test(word)) return '[address]';
  if (isHost(word) || isIpv6(word)) return '[host]';
  const slash = word.indexOf('/');
  if (slash > 0 && isHost(word.slice(0, slash)) && /[.:]|^localhost/i.test(word.slice(0, slash))) return '[host]';
  // "tcp:db.internal:5432", "error:10.0.0.5": what stands after a label.
  const colon = word.indexOf(':');
  if (colon > 0 && isHost(word.slice(colon + 1)) && !/^\d/.test(word.slice(colon + 1))) return '[host]';
  return undefined;
};

/** Replaces every word that is a path, a host, an address or a token; punctuation around it stays. Linear. */
export const redactWords = (text: string): string => {
  let pathEnded = -2;
  return text.replace(WORD, (word: string, offset: number) => {
    const tail = /[.:!?*]{0,8}$/.exec(word)?.[0] ?? '';
    const head = word.startsWith('*.') ? 2 : 0;
    const core = word.slice(head, word.length - tail.length);
    // A path with a space in it goes on in the next word.
    const goesOn = offset === pathEnded + 1 && /[\\/]/.test(core);
    const found = core === '' ? undefined : (placeholder(core) ?? (goesOn ? '[path]' : undefined));
    if (found === undefined) return word;
    if (found === '[path]') pathEnded = offset + word.length;
    return `${found}${tail}`;
  });
};
