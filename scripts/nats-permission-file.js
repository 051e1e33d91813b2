/**
 * The users of the bus and what each may do there, as text that nats-server reads: made of what the services declare.
 * @typedef {import('@portico/contracts').Conversations} Conversations
 * @typedef {{ readonly publish: readonly string[], readonly subscribe: readonly string[] }} Permissions
 */

const HEAD = `# Written by \`npm run nats:permissions\` from what each service declares in src/conversations.ts: change it there.
# The passwords, one \`PASSWORD_…: "…"\` a line, are made where the bus is run, and stand in a folder of their own.
include "passwords/passwords.conf"
`;

/** Who a service is to the bus: the second is for the moment in which its password changes, and may the same. @param {string} service */
export const usersOf = (service) => [service, `${service}-next`];

/** @param {string} user */
export const passwordName = (user) => `PASSWORD_${variable(user)}`;

/**
 * @param {Readonly<Record<string, Conversations>>} services
 * @returns {string}
 */
export function permissionFile(services) {
  const names = Object.keys(services);
  const permissions = names.map((service) => {
    const { publish, subscribe } = permissionsOf(service, services);
    return `  ${variable(service)}: {
    publish: { allow: [${lines(publish)}] }
    subscribe: { allow: [${lines(subscribe)}] }
  }
`;
  });
  const users = names.flatMap((service) =>
    usersOf(service).map(
      (user) => `    { user: "${user}", password: $${passwordName(user)}, permissions: $${variable(service)} }\n`,
    ),
  );
  return `${HEAD}\nauthorization {\n${permissions.join('')}\n  users: [\n${users.join('')}  ]\n}\n`;
}

/**
 * A service hears its own inbox alone. Into the inbox of another it may put answers to what it serves itself: the subject
 * that was asked is part of where its answer goes.
 * @param {string} service
 * @param {Readonly<Record<string, Conversations>>} services
 * @returns {Permissions}
 */
export function permissionsOf(service, services) {
  const { serves, asks, tells, hears } = services[service] ?? { serves: [], asks: [], tells: [], hears: [] };
  const answers = serves.flatMap(({ subject }) =>
    Object.entries(services)
      .filter(([, other]) => other.asks.some((asked) => meet(asked.subject, subject)))
      .map(([asker]) => `_INBOX_${asker}.*.${subject}.*`),
  );
  return {
    publish: sorted([
      ...asks.flatMap(({ subject }) => [subject, `cancel.${subject}`]),
      ...tells.map(({ subject }) => subject),
      ...answers,
    ]),
    subscribe: sorted([
      ...serves.flatMap(({ subject }) => [subject, `cancel.${subject}`]),
      ...hears.map(({ subject }) => subject),
      `_INBOX_${service}.>`,
    ]),
  };
}

/**
 * Whether there is a subject that both patterns fit.
 * @param {string} one
 * @param {string} other
 */
function meet(one, other) {
  const [a, b] = [one.split('.'), other.split('.')];
  return a.length === b.length && a.every((token, place) => token === '*' || b[place] === '*' || token === b[place]);
}

/** @param {string[]} subjects */
const sorted = (subjects) => [...new Set(subjects)].sort();

/** @param {readonly string[]} subjects */
const lines = (subjects) =>
  subjects.length === 0 ? '' : `\n${subjects.map((subject) => `      "${subject}"\n`).join('')}    `;

/** As nats-server takes the name of a variable. @param {string} name */
const variable = (name) => name.toUpperCase().replaceAll('-', '_');
