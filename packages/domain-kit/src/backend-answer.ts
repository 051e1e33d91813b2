import { Fault } from '@portico/contracts';
import type { z } from 'zod';

/** What a backend answered with success. */
export class BackendAnswer {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
    readonly body: Buffer,
    private readonly backend: string,
  ) {}

  text(): string {
    return this.body.toString('utf8');
  }

  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /**
   * The body as JSON of this shape; name only the fields that are used, in loose objects. Throws UNKNOWN_ERROR
   * (`executed: yes`) when it is not that.
   */
  json<S extends z.ZodType>(shape: S): z.output<S> {
    try {
      return shape.parse(JSON.parse(this.text()));
    } catch (cause) {
      throw new Fault('UNKNOWN_ERROR', `${this.backend} answered in a form that is not understood.`, {
        cause,
        executed: 'yes',
      });
    }
  }
}
