/** One declared setting: how its text is read, what it takes, and what `--help` says of it. `T` is what the service gets. */
export interface Setting<T> {
  readonly meaning: string;
  /** What `--help` and the README show as the default. */
  readonly shownDefault: string;
  /** Completes "… takes": shown when a value is refused. */
  readonly takes: string;
  readonly required: boolean;
  /** Whether the value must never be shown, even when it is refused. */
  readonly secret: boolean;
  /** `read`: `NAME_FILE` names a file whose content is the value. `name`: the file's path itself is handed on. */
  readonly file: 'none' | 'read' | 'name';
  /** The default as text, before `$NAME` in it is replaced; `undefined`: the value is `absent`. */
  readonly defaultText: string | undefined;
  readonly absent: T;
  /** Throws `RefusedValue` when the text is not what the setting takes. */
  parse(text: string): T;
}

/** Thrown by `parse`; `readSettings` makes the sentence of it. */
export class RefusedValue extends Error {}

export interface Described {
  readonly meaning: string;
  /** Instead of the default itself, such as "mcp.json if it exists". */
  readonly shownDefault?: string;
  /** Never show the value, even when it is refused. */
  readonly secret?: boolean;
  /** Also read from the file that `NAME_FILE` names, which comes first. */
  readonly orFile?: boolean;
}
export type WithDefault<T> = Described & { readonly default: T };
export type Required = Described & { readonly required: true };
export type Optional = Described & { readonly required?: false; readonly default?: undefined };

/** The three ways to declare a setting: with a default, required, or absent (`undefined`) when it is not set. */
export interface Kind<T, O = unknown> {
  (options: WithDefault<T> & O): Setting<T>;
  (options: Required & O): Setting<T>;
  (options: Optional & O): Setting<T | undefined>;
}

interface AnyOptions<T> extends Described {
  readonly default?: T | undefined;
  readonly required?: boolean;
}

/** Builds a kind of setting from how it reads text, how it writes its default, and the words for what it takes. */
export function kind<T, O = unknown>(
  define: (options: O) => {
    readonly takes: string;
    readonly parse: (text: string) => T;
    readonly write?: (value: T) => string;
  },
): Kind<T, O> {
  const make = (options: AnyOptions<T> & O): Setting<T | undefined> => {
    const { takes, parse, write = String } = define(options);
    const { default: fallback, required = false } = options;
    const text = fallback === undefined ? undefined : write(fallback);
    return {
      meaning: options.meaning,
      takes,
      parse,
      required,
      secret: options.secret ?? false,
      file: options.orFile ? 'read' : 'none',
      defaultText: text,
      shownDefault: options.shownDefault ?? (required ? 'required' : text || 'none'),
      absent: fallback,
    };
  };
  return make as Kind<T, O>;
}
