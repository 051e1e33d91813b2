import { cutText, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { QUICK } from '../freshness.js';
import { textOf } from '../html-text.js';
import { nameOf, projectOf } from '../replies.js';
import { Cursor, ProjectIdentifier, WorkItemKeyOrId } from './arguments.js';
import { readItem } from './locate.js';

const MOST_TEXT = 8_000;

export const listComments = (plane: PlaneReader) =>
  defineTool({
    name: 'list_comments',
    description: `The comments on a work item, a page at a time: who, when, and the text, at most ${MOST_TEXT} characters of each. next_cursor is there when there are more.`,
    input: z.object({
      work_item: WorkItemKeyOrId,
      project: ProjectIdentifier.optional(),
      text_from: z.int().min(0).default(0).describe('character that each text is shown from, to read on in a long one'),
      limit: z
        .int()
        .min(1)
        .max(100)
        .default(25)
        .describe('most comments on the page; a cursor keeps that of its first page'),
      cursor: Cursor.optional(),
    }),
    effect: 'read',
    ...QUICK,
    async handle({ work_item, project, text_from, limit, cursor }, scope) {
      const { item, key } = await readItem(plane, { project, work_item }, scope);
      const { results, nextCursor } = await plane.comments(projectOf(item), item.id, { cursor, perPage: limit }, scope);
      const how = (next: number) => `text_from: ${next} shows what comes next`;
      return {
        work_item: key,
        comments: results.map((comment) => ({
          id: comment.id,
          author: nameOf(comment.actor),
          created_at: given(comment.created_at),
          edited_at: given(comment.edited_at),
          text: cutText(textOf(comment.comment_html), text_from, MOST_TEXT, how),
        })),
        next_cursor: nextCursor,
      };
    },
  });
