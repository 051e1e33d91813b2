/** A server that the product knows how to run. */
export interface KnownServerEntry {
  readonly name: string;
  readonly title: string;
  /** One line. */
  readonly description: string;
  readonly entry:
    | { readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /** What must be there before the entry works: a variable that it refers to, or something on this host; nothing unless given. */
  readonly needs?: readonly { readonly name: string; readonly description: string }[];
}

export const npx = (...args: string[]) => ({ command: 'npx', args: ['-y', ...args] });
export const uvx = (...args: string[]) => ({ command: 'uvx', args });
/** Variables of the server that come from ours of the same names. */
export const from = (...names: string[]) => ({
  env: Object.fromEntries(names.map((name) => [name, `\${env:${name}}`])),
});
export const bearer = (name: string) => ({ headers: { Authorization: `Bearer \${env:${name}}` } });
export const need = (name: string, description: string) => ({ name, description });
