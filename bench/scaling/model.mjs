import { waits } from './queue.mjs';

/** What so much load takes, from what one call was measured to cost. docs/scaling.md explains. */

/** A load of 1: an organisation whose agents make a hundred calls a second. */
export const ONE = { callsPerSecond: 100, tenants: 20 };
export const FACTORS = [1, 10, 100, 10_000];

/** Of a hundred calls. The kinds are those of `measured.json`. @type {Readonly<Record<string, number>>} */
export const MIX = {
  'upstream tool': 0.35,
  'domain tool': 0.2,
  'kept answer': 0.25,
  'new question': 0.05,
  'lease asked for': 0.1,
  'list of tools': 0.05,
};

/** What nothing here measures; each is said in docs/scaling.md. */
export const ASSUMED = {
  /** How much of a processor may be used: what is left is for peaks, and for the others when one is gone. */
  busy: 0.6,
  /** Processes of each service at the least, so that one may go. */
  fewest: 2,
  /** Share of calls that change something other answers depend on. */
  invalidating: 0.02,
  /** Announcements of one of those, heard by every front door. */
  announcements: 3,
  /** Microseconds of a process for an announcement that it hears. */
  heardMicros: 30,
  /** Of its processor a front door may spend on hearing. */
  hearing: 0.1,
  /** Processors of a NATS server and a PostgreSQL; Redis works with one. */
  natsCpus: 8,
  postgresCpus: 16,
  /** Answers kept of a tenant, and bytes of one with its vectors, indexes and texts. */
  rowsOfTenant: 1_000,
  rowBytes: 8_192,
  /** How often a second a front door tells Redis what has ended there. */
  tells: 40,
};

/** Services that run calls; those of the second list also tell every second that they live. */
const SERVICES = ['front-door', 'upstreams', 'adapter-dagger', 'task-runtime', 'semantic-cache'];
const SOURCES = ['upstreams', 'adapter-dagger', 'task-runtime'];

/**
 * @typedef {{ cpuMicros: Record<string, number>, busSent: number, busDelivered: number, redisCommands: number, transactions: number, rowsWritten: number }} Cost
 * @typedef {{ calls: Record<string, Cost>, residentMiB: Record<string, number>, redisScriptMicros: { first: number, door: number } }} Measured
 * @typedef {ReturnType<typeof needs>} Needs
 */

/** @template Value @param {Readonly<Record<string, Value>>} values @param {string} name */
const figure = (values, name) => {
  const value = values[name];
  if (value === undefined) throw new Error(`The figures that were measured have no "${name}".`);
  return value;
};

/** A figure of the mix, for each call. @param {Measured} measured @param {(cost: Cost) => number} of */
const perCall = ({ calls }, of) =>
  Object.entries(MIX).reduce((sum, [kind, share]) => sum + share * of(figure(calls, kind)), 0);

/**
 * What one Portico needs for so many calls a second: processes of each service, and what they ask of bus and stores.
 * @param {Measured} measured @param {number} callsPerSecond
 */
export const needs = (measured, callsPerSecond) => {
  const { busy, fewest, invalidating, announcements, heardMicros, tells, natsCpus, postgresCpus } = ASSUMED;
  const announced = callsPerSecond * invalidating * announcements;
  const cpuOf = (/** @type {string} */ name) =>
    (callsPerSecond * perCall(measured, ({ cpuMicros }) => figure(cpuMicros, name))) / 1e6;
  const processesFor = (/** @type {number} */ cpu, /** @type {number} */ spent) =>
    spent >= busy ? Infinity : Math.max(fewest, Math.ceil(cpu / (busy - spent)));

  const behind = SERVICES.slice(1).map((name) => /** @type {const} */ ([name, processesFor(cpuOf(name), 0)]));
  const beats = behind.filter(([name]) => SOURCES.includes(name)).reduce((sum, [, count]) => sum + count, 0);
  /** Of a front door's processor: what it hears costs each of them all of it. */
  const hearing = ((announced + beats) * heardMicros) / 1e6;
  const doors = processesFor(cpuOf('front-door'), hearing);
  const processes = /** @type {Record<string, number>} */ ({
    'front-door': doors,
    ...Object.fromEntries(behind),
    discovery: fewest,
  });
  const all = Object.values(processes).reduce((sum, count) => sum + count, 0);

  const { first, door } = measured.redisScriptMicros;
  const perScript = door * (doors - 1);
  const redisCpu = cpuOf('redis-server') + (callsPerSecond * perScript + tells * doors * (first + perScript)) / 1e6;
  const service = perCall(measured, ({ cpuMicros }) => figure(cpuMicros, 'front-door')) / 1e6;
  return {
    callsPerSecond,
    processes,
    connections: all,
    memoryMiB: Object.entries(processes).reduce(
      (sum, [name, count]) => sum + count * figure(measured.residentMiB, name),
      0,
    ),
    /** Of the front door that a call comes to, in milliseconds: each has a queue of its own. */
    waitP99Ms: 1_000 * waits({ perSecond: callsPerSecond / doors, serviceSeconds: service, servers: 1 }).p99,
    busSent: callsPerSecond * perCall(measured, ({ busSent }) => busSent) + announced + beats,
    busDelivered:
      callsPerSecond * perCall(measured, ({ busDelivered }) => busDelivered) +
      announced * doors +
      beats * (doors + fewest),
    redisCommands: callsPerSecond * perCall(measured, ({ redisCommands }) => redisCommands) + tells * doors,
    transactions: callsPerSecond * perCall(measured, ({ transactions }) => transactions),
    rowsWritten: callsPerSecond * perCall(measured, ({ rowsWritten }) => rowsWritten),
    /** Share of what it may use; over 1 is too much. */
    used: {
      Redis: redisCpu / busy,
      'NATS server': cpuOf('nats-server') / (busy * natsCpus),
      PostgreSQL: cpuOf('PostgreSQL') / (busy * postgresCpus),
      'announcements at each front door': hearing / ASSUMED.hearing,
    },
  };
};

/**
 * The most calls a second that leave a resource of one Portico within what it may use.
 * @param {Measured} measured @param {(used: Needs['used']) => number} of
 */
const mostWhere = (measured, of) => {
  let [fits, tooMuch] = [0, 1e8];
  for (let step = 0; step < 60; step++) {
    const middle = (fits + tooMuch) / 2;
    if (of(needs(measured, middle).used) <= 1) fits = middle;
    else tooMuch = middle;
  }
  return Math.floor(fits);
};

/** What one Portico can not have two of, and the calls a second at which each is used up, the first to break first. @param {Measured} measured */
export const limits = (measured) =>
  /** @type {(keyof Needs['used'])[]} */ (Object.keys(needs(measured, 1).used))
    .map((resource) => ({ resource, callsPerSecond: mostWhere(measured, (used) => used[resource]) }))
    .sort((a, b) => a.callsPerSecond - b.callsPerSecond);

/**
 * How a load is carried: by as many cells, each a whole Portico with its own tenants, as its limits make necessary.
 * @param {Measured} measured @param {number} factor times `ONE`
 */
export const plan = (measured, factor) => {
  const calls = ONE.callsPerSecond * factor;
  const tenants = ONE.tenants * factor;
  const cells = Math.ceil(calls / Math.min(...limits(measured).map(({ callsPerSecond }) => callsPerSecond)));
  return {
    factor,
    calls,
    tenants,
    cells,
    cell: needs(measured, calls / cells),
    rows: tenants * ASSUMED.rowsOfTenant,
    rowsGiB: (tenants * ASSUMED.rowsOfTenant * ASSUMED.rowBytes) / 2 ** 30,
    /** Without cells: what would be used of each. */
    alone: needs(measured, calls).used,
  };
};
