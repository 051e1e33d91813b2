import type { DomainTool } from '@portico/domain-kit';
import type { PlaneReader } from './client.js';
import { addComment } from './tools/add-comment.js';
import { createWorkItem } from './tools/create-work-item.js';
import { getWorkItem } from './tools/get-work-item.js';
import { listComments } from './tools/list-comments.js';
import { listCycles } from './tools/list-cycles.js';
import { listLabels } from './tools/list-labels.js';
import { listMembers } from './tools/list-members.js';
import { listModules } from './tools/list-modules.js';
import { listProjects } from './tools/list-projects.js';
import { listStates } from './tools/list-states.js';
import { listWorkItems } from './tools/list-work-items.js';
import { searchWorkItems } from './tools/search-work-items.js';
import { setState } from './tools/set-state.js';
import { updateWorkItem } from './tools/update-work-item.js';
import type { WorkItemWrites } from './writes/work-item-writes.js';

/** All that `plane.*` publishes. The client that every tool is given can not write; writes go by `writes` alone. */
export const tools = (plane: PlaneReader, writes: WorkItemWrites): DomainTool[] => [
  listProjects(plane),
  listWorkItems(plane),
  getWorkItem(plane),
  searchWorkItems(plane),
  listStates(plane),
  listLabels(plane),
  listCycles(plane),
  listModules(plane),
  listMembers(plane),
  listComments(plane),
  createWorkItem(plane, writes),
  updateWorkItem(plane, writes),
  setState(plane, writes),
  addComment(plane, writes),
];
