/** The scope that lets one list and call. */
export const CALL_SCOPE = 'portico:call';

/** Whatever ends a line or turns its direction would make log lines read as others than they are. */
const NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]{1,256}$/u;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** Whether it can name a subject or a tenant: 1 to 256 characters, none of them a control character. */
export const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);

/** Whether it is one scope as RFC 6749 writes them. `*` is none: it means every scope, and is the local principal's alone. */
export const isScope = (value: unknown): value is string =>
  typeof value === 'string' && value !== '*' && SCOPE.test(value);
