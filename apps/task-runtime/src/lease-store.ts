/** One grant of one place, as its store tells it. Nothing in it opens anything. */
export interface Lease {
  /** Names the lease in public. */
  readonly ref: string;
  /** Grows from grant to grant, over all places of a store. */
  readonly fence: number;
  /** Milliseconds since 1970, by the store's clock. */
  readonly expiresAt: number;
  /** What its holder says of itself. */
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
}

/** A lease that is asked for. */
export interface LeaseRequest {
  /** What only the holder can show again. */
  readonly proof: string;
  readonly ref: string;
  /** Milliseconds, at least 1: its life, and what each renewal gives it anew. */
  readonly ttlMs: number;
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
}

/** `live`: the proof is that of the lease there. `held`: another lease is there. `free`: none is. */
export type LeaseFound =
  | { readonly state: 'live'; readonly lease: Lease }
  | { readonly state: 'held'; readonly lease: Lease }
  | { readonly state: 'free' };

/**
 * At most one lease for each place, whoever asks at once. A lease ends when the store's own clock says so, or is given
 * back; no other clock is looked at. The fence of a grant is the larger of the last one + 1 and the store's time in
 * microseconds, so that it grows over a store that has lost its data. Every operation is atomic, and rejects with
 * BACKEND_UNAVAILABLE when the store can not tell, or could not yet tell whether it was carried out (`executed: unknown`).
 */
export interface LeaseStore {
  /** `live`: granted. `held`: somebody has it, be it who asks. */
  acquire(place: string, asked: LeaseRequest): Promise<Exclude<LeaseFound, { state: 'free' }>>;
  /** Makes a live lease last at least `keepMs` more, or its own time when that is not given; shortens none. */
  renew(place: string, proof: string, keepMs?: number): Promise<LeaseFound>;
  /** Ends a live lease; `expiresAt` is then the moment that it ended. */
  release(place: string, proof: string): Promise<LeaseFound>;
  find(place: string): Promise<Lease | undefined>;
  close(): Promise<void>;
}
