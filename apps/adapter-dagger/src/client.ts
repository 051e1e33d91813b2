import { BackendReader, credentialFrom, path } from '@portico/domain-kit';
import type { BackendSettings, CallScope } from '@portico/domain-kit';
import type { z } from 'zod';
import type { AdapterDaggerConfig } from './config.js';
import { explainDispatcher } from './faults.js';
import { Artifacts, Logs, Run, Runs } from './replies.js';

/** Which runs; all of them unless told. `created_after` is a time as in RFC 3339. */
export interface RunFilter {
  readonly status?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly created_after?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Which part of what a run wrote; the beginning unless told. */
export interface LogPart {
  readonly step?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit_bytes?: number | undefined;
}

/** The CI dispatcher, to be read: nothing here sends a body, or a method other than GET, and nothing out of here can. */
export class DispatcherClient {
  readonly #backend: BackendReader;

  constructor(config: AdapterDaggerConfig, log: BackendSettings['log']) {
    this.#backend = new BackendReader({
      name: 'The CI dispatcher',
      baseUrl: config.url,
      ...(config.token && { credential: credentialFrom(config.token, log) }),
      explain: explainDispatcher,
      ...(log && { log }),
    });
  }

  runs({ status, pipeline, branch, commit, created_after, limit, cursor }: RunFilter, scope: CallScope) {
    const query = { status, pipeline, branch, commit, created_after, limit, cursor };
    return this.#read(Runs, '/v1/runs', scope, query);
  }

  run(id: string, scope: CallScope): Promise<Run> {
    return this.#read(Run, path`/v1/runs/${id}`, scope);
  }

  logs(id: string, { step, cursor, limit_bytes }: LogPart, scope: CallScope) {
    return this.#read(Logs, path`/v1/runs/${id}/logs`, scope, { step, cursor, limit_bytes });
  }

  artifacts(id: string, scope: CallScope) {
    return this.#read(Artifacts, path`/v1/runs/${id}/artifacts`, scope);
  }

  /** Throws unless the dispatcher answers, and says that it can. */
  async check(scope: CallScope): Promise<void> {
    await this.#backend.get({ path: '/healthz', scope });
  }

  close(): Promise<void> {
    return this.#backend.close();
  }

  async #read<S extends z.ZodType>(
    shape: S,
    at: string,
    scope: CallScope,
    query: Readonly<Record<string, string | number | undefined>> = {},
  ): Promise<z.output<S>> {
    return (await this.#backend.get({ path: at, query, scope })).json(shape);
  }
}
