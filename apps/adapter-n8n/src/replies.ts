import { z } from 'zod';

/** What is used of n8n's replies; everything else of them is let be. */
const optionalText = z.string().nullish();

export const WorkflowNode = z.looseObject({
  name: z.string(),
  type: z.string(),
  disabled: z.boolean().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  webhookId: optionalText,
  notes: optionalText,
});
export type WorkflowNode = z.infer<typeof WorkflowNode>;

/** `nodes` are the draft, `activeVersion.nodes` what runs. */
export const Workflow = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: optionalText,
  active: z.boolean(),
  isArchived: z.boolean().nullish(),
  nodes: z.array(WorkflowNode),
  versionId: optionalText,
  activeVersion: z.looseObject({ versionId: optionalText, nodes: z.array(WorkflowNode) }).nullish(),
  tags: z.array(z.looseObject({ name: z.string() })).nullish(),
  createdAt: optionalText,
  updatedAt: optionalText,
});
export type Workflow = z.infer<typeof Workflow>;

const Failure = z.looseObject({
  name: optionalText,
  node: z.looseObject({ name: optionalText }).nullish().catch(null),
});
const Run = z.looseObject({
  data: z
    .looseObject({ main: z.array(z.array(z.looseObject({ json: z.unknown() })).nullish()).nullish() })
    .nullish()
    .catch(null),
});
export const Execution = z.looseObject({
  id: z.union([z.string(), z.number()]).transform(String),
  workflowId: z.union([z.string(), z.number()]).transform(String),
  status: optionalText,
  finished: z.boolean().nullish(),
  mode: optionalText,
  startedAt: optionalText,
  stoppedAt: optionalText,
  waitTill: optionalText,
  data: z
    .looseObject({
      resultData: z.looseObject({
        error: Failure.nullish(),
        lastNodeExecuted: optionalText,
        runData: z.record(z.string(), z.array(Run)).nullish(),
      }),
    })
    .nullish()
    .catch(null),
});
export type Execution = z.infer<typeof Execution>;

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ data: z.array(item), nextCursor: z.string().nullish() });
