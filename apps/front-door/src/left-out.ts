/** Something a source publishes and the front door does not, or not whole; for the log. */
export interface LeftOut {
  readonly domain: string;
  readonly kind: 'source' | 'tool' | 'prompt' | 'resource' | 'template';
  readonly name: string;
  /** Given: only this key of its definition is left out. */
  readonly key?: string;
  readonly reason: string;
}
