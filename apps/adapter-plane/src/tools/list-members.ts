import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { SLOW } from '../freshness.js';
import { ProjectIdentifier } from './arguments.js';

const MOST_MEMBERS = 1_000;
const ROLES: Readonly<Record<number, string>> = { 20: 'admin', 15: 'member', 5: 'guest' };

export const listMembers = (plane: PlaneReader) =>
  defineTool({
    name: 'list_members',
    description:
      'The members of a project, or of the whole workspace with their roles (admin, member, guest): name and id, by name. At most 1,000; truncated says that there are more.',
    input: z.object({ project: ProjectIdentifier.optional() }),
    effect: 'read',
    ...SLOW,
    async handle({ project }, scope) {
      const id = project === undefined ? undefined : (await plane.projectBy(project, scope)).id;
      const { results } = await plane.members(id, scope);
      const members = results.map((member) => ({
        name: given(member.display_name) ?? [member.first_name, member.last_name].filter(Boolean).join(' '),
        role: ROLES[member.role ?? 0],
        id: member.id,
      }));
      return {
        members: members.toSorted((a, b) => order(a.name, b.name) || order(a.id, b.id)).slice(0, MOST_MEMBERS),
        truncated: members.length > MOST_MEMBERS || undefined,
      };
    },
  });

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
