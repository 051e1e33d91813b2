import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import type { WorkItemWrites } from '../writes/work-item-writes.js';
import { CommentText, ProjectIdentifier, WorkItemKey } from './arguments.js';
import { writtenItem } from './locate.js';
import { WRITE_TIMEOUT_MS } from './write-timeout.js';

export const addComment = (plane: PlaneReader, writes: WorkItemWrites) =>
  defineTool({
    name: 'add_comment',
    description:
      'Comments on a work item, in Plane: comments are never declared in git, and UNSUPPORTED where only git is written. Needs a lease on plane:{project}/{work_item}, such as plane:SHOP/SHOP-12.',
    input: z.object({
      project: ProjectIdentifier,
      work_item: WorkItemKey,
      text: CommentText.describe('plain text; blank lines divide paragraphs'),
    }),
    effect: 'write',
    annotations: { idempotentHint: false },
    lease: { resource: 'plane:{project}/{work_item}' },
    invalidates: ['plane.list_comments'],
    callTimeoutMs: WRITE_TIMEOUT_MS,
    handle: ({ text, ...named }, scope) => writes.comment(() => writtenItem(plane, named, scope), text, scope),
  });
