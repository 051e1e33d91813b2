export interface KnownServerEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly entry:
    | { readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /** What must be there, or be put in, before the entry works. */
  readonly needs: readonly { readonly name: string; readonly description: string }[];
}

/** Well-known MCP servers, in order of name. */
export const KNOWN_SERVERS: readonly KnownServerEntry[] = [];
