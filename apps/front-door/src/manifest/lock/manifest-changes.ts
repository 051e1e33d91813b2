import { canonicalJson } from '../../cache/canonical-json.js';
import type { Manifest, ManifestTool } from '../manifest.js';

/** What is different between two manifests, a sentence each, in the order of their tools; none when nothing is. */
export function manifestChanges(before: Manifest, now: Manifest): string[] {
  const changes: string[] = [];
  if (before.contract_version !== now.contract_version)
    changes.push(
      `The version of the contract was ${shown(before.contract_version)} and is ${shown(now.contract_version)}.`,
    );
  const [was, is] = [domainsOf(before), domainsOf(now)];
  for (const name of both(was, is)) {
    const [old, fresh] = [was.get(name), is.get(name)];
    if (old === undefined) changes.push(`The domain ${shown(name)} is new.`);
    if (fresh === undefined) changes.push(`The domain ${shown(name)} is gone.`);
    changes.push(...toolsChanged(old ?? new Map(), fresh ?? new Map()));
  }
  // Whatever a later version adds is told, if not of what.
  if (changes.length === 0 && before.digest !== now.digest) changes.push('The digest is another one.');
  return changes;
}

type Tools = ReadonlyMap<string, ManifestTool>;

const domainsOf = ({ domains }: Manifest): Map<string, Tools> =>
  new Map(domains.map(({ name, tools }) => [name, new Map(tools.map((tool) => [tool.name, tool]))]));

const both = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].sort();

function toolsChanged(was: Tools, is: Tools): string[] {
  return both(was, is).flatMap((name) => {
    const [old, fresh] = [was.get(name), is.get(name)];
    if (old === undefined) return [`${shown(name)} is new: ${nature(fresh as ManifestTool)}.`];
    if (fresh === undefined) return [`${shown(name)} is gone.`];
    return toolChanged(old, fresh).map((change) => `${shown(name)} ${change}.`);
  });
}

const nature = ({ effect, lease }: ManifestTool): string =>
  `its effect is ${effect}${lease === undefined ? '' : `, and it needs the lease ${shown(lease.resource)}`}`;

function toolChanged(was: ManifestTool, is: ManifestTool): string[] {
  const changes: string[] = [];
  const differs = (key: keyof ManifestTool): boolean => canonicalJson([was[key]]) !== canonicalJson([is[key]]);
  if (differs('effect')) changes.push(`had the effect ${was.effect} and has ${is.effect}`);
  const taken = is.input.filter((name) => !was.input.includes(name)).map(shown);
  const dropped = was.input.filter((name) => !is.input.includes(name)).map(shown);
  if (taken.length > 0) changes.push(`takes ${taken.join(', ')}, which it did not`);
  if (dropped.length > 0) changes.push(`takes ${dropped.join(', ')} no longer`);
  if (differs('lease')) changes.push(`needed ${leaseOf(was)} and needs ${leaseOf(is)}`);
  if (differs('staleness'))
    changes.push(`was marked ${was.staleness ?? 'nothing'} and is marked ${is.staleness ?? 'nothing'}`);
  if (differs('cache')) changes.push(`was ${cacheOf(was)} and is ${cacheOf(is)}`);
  if (differs('invalidates')) changes.push(`made ${staleOf(was)} stale and makes ${staleOf(is)} stale`);
  return changes;
}

const leaseOf = ({ lease }: ManifestTool): string =>
  lease === undefined ? 'no lease' : `the lease ${shown(lease.resource)}`;
const cacheOf = ({ cache }: ManifestTool): string =>
  cache === false ? 'not cached' : `cached by ${canonicalJson(cache)}`;
const staleOf = ({ invalidates = [] }: ManifestTool): string =>
  invalidates.length === 0 ? 'nothing' : invalidates.map(shown).join(', ');

/** A text as a terminal may be given it: names come from servers that anybody may have written. */
export const shown = (text: string): string =>
  /^[\x21-\x7e]{1,256}$/.test(text) ? text : JSON.stringify(text).replace(/[^\x20-\x7e]/g, '?');
