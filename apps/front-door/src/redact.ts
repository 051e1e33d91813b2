import { MESSAGE_LIMIT } from '@portico/contracts';
import { withoutStack } from './redact-stack.js';
import { redactWords } from './redact-words.js';

/** Most characters of a text that are looked at; the rest is cut. */
export const REDACT_LIMIT = 16_384;

/** Terminal colours, control characters (tab and newline aside), and marks that reorder or hide text. */
const INVISIBLE = new RegExp(
  String.raw`\u001b\[[0-9;?]{0,32}[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]`,
  'g',
);

/** Halves of characters, as a careless cut leaves them. */
const LONE = /\p{Surrogate}/gu;

const SECRET_KEY =
  'pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_ ]?key|apikey|access[-_ ]?key|account[-_ ]?key|private[-_ ]?key|signing[-_ ]?key|' +
  'shared[-_ ]?access[-_ ]?\\w{0,16}|credentials?|client[-_]?secret|cookie|session[-_]?id|sig(?:nature)?|x-[\\w-]{0,24}(?:key|token|secret)';
const VALUE = String.raw`(?:\\?"[^"\n\\]*\\?"|'[^'\n]*'|[^\s,;&"'\\]+)`;
const SECRET_PAIR = new RegExp(
  String.raw`(?<![A-Za-z])((?:[A-Za-z0-9]{1,24}[-_]){0,4}(?:${SECRET_KEY})[\w-]{0,24}(?:\\?["'])?\s{0,4}(?:=>|[:=])\s{0,4})${VALUE}`,
  'gi',
);
/** Where a program was told to connect, and as whom; only with `=`, for "user: not found" is a sentence. */
const PLACE_PAIR = new RegExp(
  String.raw`(?<![A-Za-z])((?:host(?:name|addr)?|server|data source|addr(?:ess)?|endpoint|initial catalog|database|dbname|user(?: ?name| id)?|uid|login)\s{0,2}=\s{0,2})${VALUE}`,
  'gi',
);
const FLAG = /(\s--?(?:p(?:ass(?:word)?)?|token|secret|api-?key|auth)\s)[^\s"']+/gi;
const AUTHORIZATION =
  /\b((?:proxy-)?authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|digest|token|negotiate|apikey|aws4-hmac-sha256)\s)?)[^\s"'\\][^"'\n\\]*/gi;
const SCHEME = /\b(bearer|basic)\s+([A-Za-z0-9._~+/-]{6,}=*)/gi;
/** What follows "bearer" where a sentence speaks of the scheme itself. */
const OF_SCHEME =
  /^(?:tokens?|auth|authentication|authorization|scheme|realm|header|credentials?|challenge|required|missing|invalid|expired)$/i;
const looksSecret = (scheme: string, value: string): boolean =>
  (/^bearer$/i.test(scheme) && !OF_SCHEME.test(value.replace(/[.~/-]$/, ''))) ||
  value.length >= 20 ||
  /[0-9_~+/=]/.test(value) ||
  /[a-z][A-Z]/.test(value);

/** `token "abc123"`: a value in quotes right after what it is. Of secrets, clusters tell the name that way, so not them. */
const QUOTED_SECRET = /\b((?:token|password|passphrase|api[-_ ]?key)\s{1,4})(["'`])[^"'`\n]{6,}\2/gi;

/** Sentences in which a bare host name follows. */
const NAMED_HOST =
  /\b((?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ETIMEDOUT|getaddrinfo(?:\s[A-Z_]{3,16})?|dial tcp:? lookup|UnknownHostException:|(?:unknown|resolve|resolving|translate) host(?:name| name)?:?)\s+)(["']?)[^\s"']+\2/g;
const LOOKUP = /\b(lookup )([^\s:]+)(?=(?: on |:))/g;

const IPV4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)(?::\d{1,5})?(?:\/\d{1,2})?/g;

/** A quoted path, spaces and all. */
const QUOTED_PATH = /(["'`])(?:file:)?(?:~?\/(?=[^"'`\n/])|[A-Za-z]:[\\/]|\\\\)[^"'`\n]*\1/g;

const withoutKeys = (text: string): string => {
  let rest = text;
  for (let at = rest.indexOf('-----BEGIN '); at !== -1; at = rest.indexOf('-----BEGIN ', at)) {
    const end = rest.indexOf('-----END ', at);
    const close = end === -1 ? -1 : rest.indexOf('-----', end + 9);
    rest = `${rest.slice(0, at)}[redacted]${close === -1 ? '' : rest.slice(close + 5)}`;
  }
  return rest;
};

/** Replaces every URL from its scheme to the next space, quote or angle bracket; by hand, for it must be linear. */
const withoutUrls = (text: string): string => {
  let out = '';
  let from = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', from)) {
    let start = at;
    while (start > from && /[A-Za-z0-9+.:-]/.test(text.charAt(start - 1))) start--;
    let end = at + 3;
    while (end < text.length && !/[\s"'`<>]/.test(text.charAt(end))) end++;
    while (end > at + 3 && /[.,;:!?)\]}]/.test(text.charAt(end - 1))) end--;
    out += `${text.slice(from, start)}[url]`;
    from = end;
  }
  return out + text.slice(from);
};

/** A message quoted inside another comes with its quotes, slashes and line ends escaped, which must hide nothing. */
const unescaped = (text: string): string => {
  const plain = text.replace(/(\\+)(["'/])?/g, (_all, run: string, escaped?: string) => escaped ?? run);
  // In a Windows path `\n` is the beginning of a name.
  return /[A-Za-z]:\\|\\\\/.test(plain) ? plain.replace(/\\[nrt](?=\s)/g, '\n') : plain.replace(/\\[nrt]/g, '\n');
};

const pass = (text: string): string => {
  const whole = withoutKeys(withoutStack(text));
  const known = withoutUrls(whole)
    .replace(AUTHORIZATION, '$1[redacted]')
    .replace(SECRET_PAIR, '$1[redacted]')
    .replace(PLACE_PAIR, '$1[redacted]')
    .replace(FLAG, '$1[redacted]')
    .replace(SCHEME, (match, scheme: string, value: string) =>
      looksSecret(scheme, value) ? `${scheme} [redacted]` : match,
    )
    .replace(QUOTED_SECRET, '$1$2[redacted]$2')
    .replace(NAMED_HOST, '$1[host]')
    .replace(LOOKUP, '$1[host]')
    .replace(QUOTED_PATH, '$1[path]$1')
    .replace(IPV4, '[host]');
  return redactWords(known);
};

/**
 * A text from behind the front door without what would tell of the inside: URLs, hosts, addresses, paths, credentials,
 * keys, tokens, stack traces, control characters. Bounded at 16,384 characters, linear in time, and redacting twice is
 * redacting once. Lines are kept; what is left reads as a sentence.
 */
export const redact = (text: string): string => {
  let capped = text;
  if (text.length > REDACT_LIMIT) {
    // A secret cut in two would be recognised no more: the last word goes whole.
    const cut = text.slice(0, REDACT_LIMIT);
    const space = cut.search(/\s\S*$/);
    capped = space > REDACT_LIMIT - 2_048 ? cut.slice(0, space) : cut;
  }
  const plain = unescaped(capped.replace(LONE, '\ufffd').replaceAll('\r\n', '\n')).replace(INVISIBLE, '');
  const once = pass(plain);
  return once === plain ? once : pass(once);
};

/** The first `length` characters, or one less where that would halve a character. */
export const cutAt = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** A redacted text as one line of at most so many characters, a cut marked with `…`. */
export const redactedMessage = (text: string, limit = MESSAGE_LIMIT): string => {
  const line = redact(text).replace(/\s+/g, ' ').trim() || 'It failed, and said nothing that can be shown.';
  return line.length <= limit ? line : `${cutAt(line, limit - 1)}…`;
};
