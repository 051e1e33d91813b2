/** What must be true of Portico: one row each, told apart by id. `proven` rows have a passing test that names them. */
export interface Requirement {
  readonly id: string;
  /** The part of the specification, and the seed that it came from. */
  readonly source: string;
  readonly sentence: string;
  /** `planned`: asked for, and not built or not proven yet. */
  readonly state: 'proven' | 'planned';
}

const PROVEN = new Set([
  ...['FD-1', 'FD-2', 'FD-3', 'FD-4', 'FD-6', 'FD-7', 'FD-11', 'FD-12', 'FD-13', 'FD-14', 'FD-20', 'FD-21', 'FD-22'],
  ...['FD-23', 'FD-24', 'FD-25', 'FD-26', 'FD-27', 'FD-30', 'FD-31', 'FD-32', 'SS-6', 'SS-7'],
  ...['AD-1', 'AD-2', 'AD-3', 'AD-4', 'AD-5', 'AD-6', 'AD-7', 'AD-8', 'AD-9', 'AD-10', 'AD-11', 'AD-12'],
  ...['AD-13', 'AD-14', 'AD-15', 'AD-16', 'AD-17', 'AD-18'],
  ...[
    'OP-1',
    'OP-2',
    'OP-3',
    'OP-4',
    'OP-5',
    'OP-6',
    'OP-7',
    'OP-9',
    'OP-8',
    'OP-10',
    'OP-11',
    'OP-12',
    'OP-13',
    'OP-14',
    'OP-15',
  ],
  ...['UP-1', 'UP-2', 'UP-3', 'UP-4', 'UP-5', 'UP-6', 'UP-7', 'UP-8'],
  ...['FD-5', 'FD-8', 'FD-9', 'FD-10', 'FD-15', 'FD-16', 'FD-17', 'FD-18', 'FD-19', 'FD-28', 'FD-33'],
  ...['LE-1', 'LE-2', 'LE-3', 'LE-4', 'LE-5', 'LE-6'],
  ...['SS-1', 'SS-2', 'SS-3', 'SS-4', 'SS-5', 'SS-8'],
  ...['SC-1', 'SC-2', 'SC-3', 'SC-5', 'SC-10', 'SC-11', 'SC-16', 'SS-9'],
  ...['SC-4', 'SC-6', 'SC-7', 'SC-8', 'SC-9', 'SC-12', 'SC-13', 'SC-14', 'SC-15', 'SC-17'],
  ...['UP-9', 'UP-10', 'UP-11', 'UP-12', 'UP-13', 'UP-14'],
  ...[
    'DI-1',
    'DI-2',
    'DI-3',
    'DI-4',
    'DI-5',
    'DI-6',
    'DI-7',
    'DI-8',
    'DI-9',
    'DI-10',
    'DI-11',
    'DI-12',
    'DI-13',
    'FD-29',
  ],
]);

const rows = (source: string, sentences: Readonly<Record<string, string>>): Requirement[] =>
  Object.entries(sentences).map(([id, sentence]) => ({
    id,
    source,
    sentence,
    state: PROVEN.has(id) ? 'proven' : 'planned',
  }));

export const requirements: readonly Requirement[] = [
  ...rows('front-door, seed 002 and the MCP specification', {
    'FD-1':
      'Agents reach everything at POST /mcp, one JSON-RPC message each; GET and DELETE are 405, notifications 202, batches 400.',
    'FD-2':
      'The protocol revisions announced are exactly those served, and any other version header is refused with their names.',
    'FD-3':
      'A 2026-07-28 request meets that revision’s rules: headers that match the body, resultType, serverInfo, ttlMs, cacheScope, fixed order, 404 for unknown methods.',
    'FD-4':
      'A request from a foreign Origin or for a foreign Host is 403, no Origin is accepted, and an allowed preflight gets its CORS headers.',
    'FD-5':
      'Body size, rate, concurrency and slowness are limited, and each refusal before dispatch carries a JSON-RPC error body.',
    'FD-6':
      'The front door binds loopback unless told otherwise, and refuses a public address without authentication or a named perimeter.',
    'FD-7':
      'tools/list is answered within two seconds of npm start, whatever state domains and upstream servers are in.',
    'FD-8':
      'Callers prove who they are by nothing, an API key or a JWT, as AUTH_MODE says, and a token is trusted no longer than it lasts.',
    'FD-9':
      'Every request has a principal with a tenant that reaches all that is kept per tenant, and nothing a caller writes changes it.',
    'FD-10': 'An access policy decides by published name and effect what a principal may see and call.',
    'FD-11':
      'A tool is published as <domain>.<tool> and routed by a map made with the catalogue, never by splitting its name.',
    'FD-12':
      'A name resolves exactly, then folded, then in its mcp__ form, and an unknown or ambiguous name is an error that says so.',
    'FD-13':
      'A published name over 64 characters is shortened with a stable hash, and folded names that collide all get one.',
    'FD-14':
      'What a tool publishes of itself passes through unchanged, but for what an older client’s protocol demands.',
    'FD-15':
      'The ids of a call are read from argument, _meta and headers in that order, and invalid ones are replaced or refused.',
    'FD-16': 'A raw lease id never leaves the front door: backends, logs and receipts see its lease_ref.',
    'FD-17':
      'The context objects are added to published schemas, whatever shape these have, and taken away before a domain sees the arguments.',
    'FD-18':
      'The ids and the trace of a call reach our domains and their backends, and an upstream only when its entry says so.',
    'FD-19':
      'Every execution leaves one receipt without arguments, results or secrets, and gateway.receipts returns a tenant’s last thousand.',
    'FD-20':
      'A success passes the domain’s content untouched, with the envelope in structuredContent or in _meta, and always in _meta.',
    'FD-21':
      'A tool’s error is an isError result with the envelope in its last text block, and no failing domain becomes an HTTP 500.',
    'FD-22':
      'Error codes are a closed list with honest executed and retryable, and a backend’s status is mapped only when it can be trusted.',
    'FD-23': 'Error messages are at most 500 characters and hold no address, path, credential, token or stack.',
    'FD-24': 'A call is never executed twice by us: it is sent again once, and only when it provably was not executed.',
    'FD-25':
      'A result over the cap is PAYLOAD_TOO_LARGE or marked as cut, lists are exempt, and an upstream’s flood is given up.',
    'FD-26': 'Cancellation follows the era of the client, cannot reach another’s call, and progress arrives in order.',
    'FD-27':
      'gateway.describe gives the overview of domains and projections of the tools really registered, schemas on demand.',
    'FD-28': 'Profiles are versioned allow-lists in one file that guide discovery and grant nothing.',
    'FD-29': 'gateway.health gives each domain’s state, breaker, last error and catalogue age.',
    'FD-30':
      'The server’s instructions say that domain content is untrusted, and the gateway never interprets a result.',
    'FD-31':
      'Resources, templates, prompts and completion of all sources are federated, routed by a map, bytes and metadata exact.',
    'FD-32': 'A change of any source’s lists reaches every subscribed client once, after the catalogue really changed.',
    'FD-33': 'One domain or principal cannot take the others’ capacity, and a broken domain is answered for at once.',
  }),
  ...rows('discovery, seed 000', {
    'DI-1': 'What a source offers is answered from the cache, asked for only on a miss, and never by the start itself.',
    'DI-2': 'Everything needed to publish a source is cached with the time it was fetched, all pages of it.',
    'DI-3': 'The cache keeps entries for a time and up to a number that are settings, and a time of 0 means none.',
    'DI-4': 'A thousand concurrent first requests for one source make one probe.',
    'DI-5': 'A breaker per source counts a probe with its retries once, and only failures that can pass are retried.',
    'DI-6': 'A probe fails in one of five named ways.',
    'DI-7': 'After its time a good answer is served as stale while one refresh runs, and it survives a restart.',
    'DI-8':
      'A list is answered within its deadline with what is known, late answers follow as a change, and an identical probe changes nothing.',
    'DI-9':
      'A cached answer ends when its source’s configuration, its own notice or its own ttl says so, and private ones are not shared.',
    'DI-10': 'Sources come and go while the front door runs, with no restart and no change of its configuration.',
    'DI-11': 'The catalogue says which source serves a tool, and any living instance of it may answer.',
    'DI-12':
      'discovery.health gives each source’s breaker, latency and failures, and sources in use are probed again in the background.',
    'DI-13': 'Ten thousand sources asked for once leave bounded memory and no timer, breaker or socket.',
  }),
  ...rows('upstreams, seed 003', {
    'UP-1': 'Server entries are validated, kept, and never return the secrets they refer to.',
    'UP-2':
      'The admin routes list, save, delete, toggle, hide, test and warm servers, each rule with an error of its own.',
    'UP-3': 'The client speaks stdio and Streamable HTTP in both eras, follows every page, and answers pings.',
    'UP-4': 'A session is kept and shared from before it connects, and one that was invalidated never comes back.',
    'UP-5': 'Connecting and calling have limits by launcher, each configurable for a server.',
    'UP-6': 'A dead session is made again once, and the call that found it dead follows FD-24.',
    'UP-7': 'Upstream results stay what they are, empty ones are named, and long text is cut with a marker.',
    'UP-8': 'Upstream tools are published <server>.<tool>, callable in the mcp__ form, and hidden ones are neither.',
    'UP-9':
      'Upstream processes run in a scrubbed environment and their whole group ends when they are no longer wanted.',
    'UP-10':
      'Sessions are shared or per principal as the entry says, and upstream authentication is held by the gateway.',
    'UP-11': 'HTTP upstreams cannot lead to another host or a private address, checked on the address connected to.',
    'UP-12': 'Warm-up runs on request, four servers at a time, and never while starting.',
    'UP-13':
      'Several instances share the servers, each stdio server on one of them, and an instance that dies hands them over.',
    'UP-14': 'The servers file is watched, and a broken change keeps what was and says why.',
  }),
  ...rows('semantic-cache, seed 001', {
    'SC-1': 'A call is answered by an equal one, or by one whose free text a verifier takes for the same, or it runs.',
    'SC-2': 'The exact key is a hash of canonical arguments, tool, schema, tenant and access scope.',
    'SC-3': 'Everything that is not declared free text must be equal before two calls are compared.',
    'SC-4':
      'The verifier refuses different numbers, negation, order or over-long text, then scores by a calibrated model.',
    'SC-5': 'Only complete, successful results of reads that an operator opted in are kept.',
    'SC-6': 'The table, its indexes and its search keep recall: exact scan up to 5,000 rows of a key, 0.99 beyond.',
    'SC-7': 'Tenants are kept apart by every statement and again by the database itself.',
    'SC-8': 'An entry lives its time by the store’s clock, a hit never extends it, and 0 is a value.',
    'SC-9': 'Expired and erased entries are physically deleted, and a tool can be kept out of the store.',
    'SC-10':
      'An invalidation takes effect before the mutation’s result is returned, and no older result is stored after it.',
    'SC-11': 'Concurrent identical misses run the tool once and share what it gave.',
    'SC-12': 'A cache that is missing, slow or full costs a call no more than its budget.',
    'SC-13': 'Each tenant has a quota, and what was used longest ago goes first.',
    'SC-14':
      'The embedder ships with its model, agrees with the reference vectors, and never compares two models’ vectors.',
    'SC-15': 'Hits, misses and refusals are counted, and each result says where it was served from.',
    'SC-16': 'A caller can pass the cache by or refresh it, and never weaken it.',
    'SC-17':
      'A share of semantic hits is checked against fresh results, and an imprecise tool loses its semantic lane.',
  }),
  ...rows('state-sync, seed 004', {
    'SS-1': 'Each tool can be marked as cacheable, as soon stale, or as making others stale.',
    'SS-2': 'Patterns are dot-globs with linear matching, first match wins, and an invalid policy stops the start.',
    'SS-3': 'Lists show the marked descriptions, and an operator can switch that off for a tool.',
    'SS-4': 'A successful mutation’s result begins with what it made stale; an error’s does not.',
    'SS-5': 'Subscribed clients of the tenant hear of stale patterns within 100 ms, and never slow a call.',
    'SS-6':
      'subscriptions/listen acknowledges what it honours, keeps the stream alive, names the subscription in each notice, and ends cleanly.',
    'SS-7':
      'Every list result says how long and for whom it may be kept, and is public only when it is the same for all.',
    'SS-8': 'portico://manifest.json describes the surface that its reader may see, with a digest.',
    'SS-9': 'An invalidation drops cached responses before the mutation’s result is returned.',
  }),
  ...rows('leases, seed 002', {
    'LE-1': 'task.* grants, renews, releases and shows leases atomically, with fencing numbers that only grow.',
    'LE-2': 'A lease id is returned once, and the hint of a lease_ref is replaced by the real one.',
    'LE-3': 'A protected call runs only with the caller’s live lease on that very resource.',
    'LE-4': 'Hints of context never count as a lease.',
    'LE-5': 'Without the lease store protected mutations are refused and reads go on.',
    'LE-6': 'Ten thousand contended acquisitions never have two holders at once.',
  }),
  ...rows('adapters, seed 002', {
    'AD-1': 'A domain lists, calls and says its health, and adding one touches no file of the front door.',
    'AD-2': 'A tool declares schema, effect and policies, and arguments are validated before a path or body is built.',
    'AD-3':
      'The backend client holds its credential by file, stays on its host, is bounded in time and size, and repeats only GET.',
    'AD-4': 'A backend’s status becomes the code that it really means, and anything else UNKNOWN_ERROR.',
    'AD-5': 'A Kubernetes MCP server’s tools are published under cluster., with its own rights untouched.',
    'AD-6':
      'Cluster tools that reveal credentials are denied, calls are never repeated, and read-only publishes reads alone.',
    'AD-7': 'dagger.* reads runs, logs and artifacts through a client that can only GET.',
    'AD-8': 'A run id is checked before a path exists.',
    'AD-9': 'plane.* reads projects, items and what belongs to them through the API, every page.',
    'AD-10': 'plane.* writes to git, to the API or to both, and says exactly what was done when half failed.',
    'AD-11': 'The git edit changes one line a field, never forces, and two writers’ changes both survive.',
    'AD-12': 'In git mode no write reaches the Plane API.',
    'AD-13': 'Only active, exposed n8n workflows with a published webhook can be triggered, read again each time.',
    'AD-14': 'n8n.* has no way to tag a workflow, to update one, or to make one that runs by itself.',
    'AD-15': 'Stack traces, paths and hints of n8n’s errors stay inside.',
    'AD-16': 'adapter-slack holds no token: the bridge does, and offers only the listed operations.',
    'AD-17': 'Slack’s rate limit is passed on with its wait, and posting is never repeated.',
    'AD-18': 'github.* reads files, commits, pull requests and issues of the repositories on its list.',
  }),
  ...rows('operations, seed 002', {
    'OP-1':
      'One compose file and one Dockerfile run everything, unprivileged, read-only, and published on loopback alone.',
    'OP-2': 'Kubernetes manifests have a base, an embedded overlay and a production overlay.',
    'OP-3': 'Each workload runs with least rights, measured resources, probes and a budget for disruption.',
    'OP-4': 'Network policies allow exactly the arrows that the code has.',
    'OP-5': 'Each service has bus permissions generated from the contracts, and is refused everything else.',
    'OP-6': 'Bus, Redis and database are reached by TLS with credentials from files, rotated while running.',
    'OP-7': 'A payload beyond the bus’s max_payload is PAYLOAD_TOO_LARGE, never a disconnect.',
    'OP-8':
      'A service told to stop finishes or answers what runs and exits within ten seconds, and a rolling restart fails no call.',
    'OP-9': 'Two versions run side by side during an upgrade.',
    'OP-10': 'npm run start:services runs every app as its own process, restarted when it dies.',
    'OP-11':
      'Logs are structured and secret-free, metrics named and bounded, and one trace runs from agent to backend.',
    'OP-12': 'Dashboards and alerts use only metrics that are served.',
    'OP-13': 'The operating guide covers sizing, upgrade, backup, rotation, alerts, and the cut-over and its way back.',
    'OP-14': 'The scaling guide says from measurements what breaks first at 10, 100 and 10,000 times the load.',
    'OP-15': 'Every row of the threat table has a case by name in one test file.',
  }),
];
