import { BackendLink } from './backend-link.js';
import type { BackendRequest, BackendSettings } from './backend-link.js';
import type { BackendAnswer } from './backend-answer.js';

/** A backend that can only be read: no method of this class sends a body, or a method other than GET. */
export class BackendReader {
  readonly #link: BackendLink;

  /** Throws, in a sentence, for an address that may not be used. */
  constructor(settings: BackendSettings) {
    this.#link = new BackendLink(settings);
  }

  /** Asked once more after a failed connection or a 503. Every failure is a Fault. */
  get(request: BackendRequest): Promise<BackendAnswer> {
    return this.#link.get(request);
  }

  /** Ends every connection, and whatever still runs on one. */
  close(): Promise<void> {
    return this.#link.close();
  }
}

export interface BackendWrite extends BackendRequest {
  /** GET and HEAD, too: for a backend where asking runs something. */
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET' | 'HEAD';
  readonly json?: unknown;
  /** Instead of `json`: a body that is form-encoded already. */
  readonly form?: string;
}

/** A backend that can be read and written. */
export class BackendClient {
  readonly #link: BackendLink;

  /** Throws, in a sentence, for an address that may not be used. */
  constructor(settings: BackendSettings) {
    this.#link = new BackendLink(settings);
  }

  /** Asked once more after a failed connection or a 503. Every failure is a Fault. */
  get(request: BackendRequest): Promise<BackendAnswer> {
    return this.#link.get(request);
  }

  /** Sent at most once, whatever happens. Every failure is a Fault that says whether it may have been executed. */
  send({ method, json, form, ...request }: BackendWrite): Promise<BackendAnswer> {
    return this.#link.exchange(method, request, bodyOf(json, form));
  }

  /** Ends every connection, and whatever still runs on one. */
  close(): Promise<void> {
    return this.#link.close();
  }
}

function bodyOf(json: unknown, form: string | undefined) {
  if (form !== undefined) return { type: 'application/x-www-form-urlencoded', data: form };
  return json === undefined ? undefined : { type: 'application/json', data: JSON.stringify(json) };
}
