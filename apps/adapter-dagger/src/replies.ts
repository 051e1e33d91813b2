import { z } from 'zod';

/** What is used of the dispatcher's replies; everything else of them is let be. */
const optionalText = z.string().nullish();

const Step = z.looseObject({
  name: z.string(),
  status: z.string(),
  conclusion: optionalText,
  started_at: optionalText,
  finished_at: optionalText,
});

export const Run = z.looseObject({
  id: z.string(),
  pipeline: optionalText,
  function: optionalText,
  status: z.string(),
  conclusion: optionalText,
  attempt: z.number().nullish(),
  trigger: z.looseObject({ type: optionalText, actor: optionalText }).nullish(),
  source: z.looseObject({ repo: optionalText, branch: optionalText, commit: optionalText }).nullish(),
  created_at: optionalText,
  started_at: optionalText,
  finished_at: optionalText,
  duration_ms: z.number().nullish(),
  steps: z.array(Step).nullish(),
  trace_url: optionalText,
  dagger_version: optionalText,
  error: z.looseObject({ message: z.string(), step: optionalText }).nullish(),
});
export type Run = z.infer<typeof Run>;

export const Runs = z.looseObject({ data: z.array(Run), next_cursor: optionalText });

export const Logs = z.looseObject({
  data: z.array(z.looseObject({ ts: optionalText, step: optionalText, stream: optionalText, text: z.string() })),
  next_cursor: optionalText,
  complete: z.boolean(),
});

export const Artifacts = z.looseObject({
  data: z.array(
    z.looseObject({
      name: z.string(),
      size_bytes: z.number(),
      sha256: optionalText,
      content_type: optionalText,
      created_at: optionalText,
      expires_at: optionalText,
    }),
  ),
});
