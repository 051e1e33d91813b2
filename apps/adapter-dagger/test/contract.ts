import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

type JsonSchema = Record<string, unknown>;
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: JsonSchema;
}
interface Answer {
  readonly headers?: Record<string, unknown>;
  readonly content: Record<string, { readonly schema: JsonSchema }>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: Parameter[];
  readonly requestBody?: unknown;
  readonly responses: Record<string, Answer>;
}

const FILE = join(import.meta.dirname, '../ci-dispatcher.openapi.yaml');

/** The ci-dispatcher contract, as the OpenAPI file beside the adapter has it; references to parameters and answers followed. */
export const contract = resolved(parse(readFileSync(FILE, 'utf8'))) as {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
};

/** Schemas stay references, which a JSON Schema can have among its own definitions. */
function resolved(document: Record<string, unknown>): unknown {
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: string };
    if ($ref?.startsWith('#/components/schemas/')) return { $ref: $ref.replace('#/components/schemas/', '#/$defs/') };
    if ($ref !== undefined)
      return follow(
        $ref
          .split('/')
          .slice(1)
          .reduce<unknown>((at, key) => (at as JsonSchema)[key], document),
      );
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, follow(inner)]));
  };
  return follow(document);
}

/** A schema of the contract without its references, one level deep. */
export const plain = (schema: JsonSchema): JsonSchema =>
  typeof schema['$ref'] === 'string'
    ? (contract.components.schemas[schema['$ref'].slice('#/$defs/'.length)] ?? {})
    : schema;

const compiled = new Map<JsonSchema, z.ZodType>();
const problemsOf = (schema: JsonSchema, value: unknown): string[] => {
  let shape = compiled.get(schema);
  if (!shape) compiled.set(schema, (shape = z.fromJSONSchema({ ...schema, $defs: contract.components.schemas })));
  return shape.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
};

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The operation that a request is for, and all that is wrong with the request; the operation is undefined when there is none. */
export function checkRequest({ method, url, headers, body }: SeenRequest) {
  const { pathname, searchParams } = new URL(url, 'http://dispatcher');
  const problems: string[] = [];
  if (body !== '' || 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0)
    problems.push('it has a body');
  if (url.startsWith('/v1/') && !/^Bearer \S+$/.test(String(headers['authorization'])))
    problems.push('no bearer token');
  for (const [template, operations] of Object.entries(contract.paths)) {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const match = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]*)')}$`).exec(pathname);
    const operation = match && operations[method.toLowerCase()];
    if (!operation) continue;
    const parameters = operation.parameters ?? [];
    const values = names.map((name, index) => ['path', name, decodeURIComponent(match[index + 1]!)] as const);
    for (const [place, name, text] of [...values, ...[...searchParams].map((pair) => ['query', ...pair] as const)]) {
      const schema = parameters.find((one) => one.in === place && one.name === name)?.schema;
      const value = schema && plain(schema)['type'] === 'integer' ? Number(text) : text;
      if (!schema) problems.push(`there is no ${place} parameter ${name}`);
      else problems.push(...problemsOf(schema, value).map((problem) => `${name} ${problem}`));
    }
    return { operation, problems };
  }
  return { operation: undefined, problems: [...problems, `there is no ${method} ${pathname}`] };
}

/** All that is wrong with an answer of an operation. */
export function checkAnswer(
  operation: Operation,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): string[] {
  const declared = operation.responses[status];
  if (!declared) return [`${operation.operationId} answers no ${status}`];
  const missing = Object.keys(declared.headers ?? {}).filter((name) => !(name.toLowerCase() in headers));
  const content = declared.content[headers['content-type'] ?? ''];
  if (!content) return [`${operation.operationId} answers ${status} in no ${headers['content-type']}`];
  return [...missing.map((name) => `no header ${name}`), ...problemsOf(content.schema, body)];
}
