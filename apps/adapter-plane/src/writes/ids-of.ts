import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import type { PlaneReader } from '../client.js';
import type { WorkItemFields } from './work-item-writes.js';

const MOST_NAMED = 20;

/**
 * The ids of the state and of the labels that are named. Throws INVALID_ARGUMENTS for a name that the project does not
 * have: Plane itself drops a label that it does not know, and says nothing.
 */
export async function idsOf(
  plane: PlaneReader,
  project: string,
  { state, labels }: WorkItemFields,
  scope: CallScope,
): Promise<{ state?: string; labels?: string[] }> {
  const [states, known] = await Promise.all([
    state === undefined ? undefined : plane.allStates(project, scope),
    labels === undefined || labels.length === 0 ? [] : plane.allLabels(project, scope),
  ]);
  return {
    ...(state !== undefined && states && { state: idOf('state', state, states) }),
    ...(labels && { labels: labels.map((label) => idOf('label', label, known)) }),
  };
}

function idOf(what: string, name: string, known: readonly { id: string; name: string }[]): string {
  const [found, another] = known.filter((each) => each.name === name);
  if (found && !another) return found.id;
  const names = known.slice(0, MOST_NAMED).map((each) => JSON.stringify(each.name));
  const problem = another
    ? `The project has more than one ${what} with the name ${JSON.stringify(name)}.`
    : `The project has no ${what} ${JSON.stringify(name)}. It has ${names.join(', ') || 'none'}${known.length > MOST_NAMED ? ', and more' : ''}.`;
  throw new Fault('INVALID_ARGUMENTS', problem.slice(0, 500));
}
