/** What we use of the package's tokenizer; its own declarations do not resolve in ESM, and would all be `any`. */
export interface Tokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { readonly ids: readonly number[] };
  token_to_id(token: string): number | undefined;
}

export async function createTokenizer(tokenizer: object, config: object): Promise<Tokenizer> {
  const { Tokenizer } = (await import('@huggingface/tokenizers')) as unknown as {
    Tokenizer: new (tokenizer: object, config: object) => Tokenizer;
  };
  return new Tokenizer(tokenizer, config);
}
