// Pairs of texts that differ in one thing that changes the answer: an identifier, a number, a date, a negation, a namespace, a unit, or who does
// what to whom. In English and French, the same for the same seed. The second text is often worded differently as well, as callers do.

/** @typedef {{ id: string, kind: string, lang: 'en' | 'fr', a: string, b: string, same: boolean }} TextPair */

const NAMES = {
  service:
    'checkout payments billing search frontend auth-api orders inventory gateway scheduler worker notifications reporting ledger catalog shipping redis kafka postgres nginx user_service mailer'.split(
      ' ',
    ),
  namespace:
    'default staging production kube-system payments monitoring team-a team-b sandbox qa dev logging ingress tenant_42 data-lake frontend'.split(
      ' ',
    ),
  person: 'Alice Bob Marie Pierre Fatima Chen Olga David Laura Ahmed Sofia Thomas'.split(' '),
  city: 'Paris London Berlin Madrid Tokyo Toronto Sydney Lyon Dublin Boston Geneva Oslo'.split(' '),
  project: 'Atlas Mercury Phoenix Orion Apollo Titan Nimbus Falcon'.split(' '),
  file: 'config.yaml values.yaml main.tf Dockerfile README.md package.json schema.sql server.log deploy.sh index.html'.split(
    ' ',
  ),
  ticket: 'PORT-214 PORT-241 OPS-17 OPS-71 WEB-1043 WEB-1034 API-9 API-90'.split(' '),
  node: 'node-7f9c4d node-7f9d4c worker-3a worker-3b ip-10-0-1-7 ip-10-0-1-17 gpu-pool-2 gpu-pool-3'.split(' '),
  model: 'M605x M605n iPhone 14|iPhone 15|Pixel 7|Pixel 8|i3|i5|RTX 3080|RTX 4080'
    .replace(/ (?=M605n)/, '|')
    .split('|'),
  flag: '--dry-run --force --all --watch'.split(' '),
};
const NUMBERS = ['2', '3', '4', '5', '7', '10', '12', '20', '50', '100', '250', '1,000', '2.5', '0.5'];
const VERSIONS = ['1.4.2', '1.4.3', '1.5.0', '2.0', '2.1', '3.11', 'v5', 'v6'];
const DATES = {
  en: [
    '2026-03-01',
    '2026-04-01',
    'March 3',
    'March 13',
    'May 2024',
    'May 2025',
    'Monday',
    'Friday',
    'yesterday',
    'Tuesday',
    'October 12, 2025',
    'November 12, 2025',
    '14:05',
    '15:05',
    'January',
    'August',
  ],
  fr: [
    '2026-03-01',
    '2026-04-01',
    '3 mars',
    '13 mars',
    'mai 2024',
    'mai 2025',
    'lundi',
    'vendredi',
    'hier',
    'mardi',
    '12 octobre 2025',
    '12 novembre 2025',
    '14:05',
    '15:05',
    'janvier',
    'septembre',
  ],
};
const UNITS = {
  en: [
    ['minutes', 'hours', 'seconds', 'days', 'weeks'],
    ['MB', 'GB', 'KB', 'TB'],
    ['kilometers', 'miles', 'meters'],
    ['dollars', 'euros', 'pounds'],
    ['Celsius', 'Fahrenheit'],
  ],
  fr: [
    ['minutes', 'heures', 'secondes', 'jours', 'semaines'],
    ['Mo', 'Go', 'Ko'],
    ['kilomètres', 'miles', 'mètres'],
    ['dollars', 'euros', 'yens'],
    ['Celsius', 'Fahrenheit'],
  ],
};

/** Wordings of one question each; {x} is what is swapped. */
const ASKED = {
  en: {
    service: [
      ['Why is the {x} service failing?', 'Why does the {x} service keep failing?', 'What makes the {x} service fail?'],
      ['restart deployment {x} in {ns}', 'Restart the {x} deployment in {ns}', 'please restart deployment {x} in {ns}'],
      ['Show me the logs of {x}', 'show the logs of {x}', 'What are the logs of {x}?'],
      ['How do I scale {x}?', 'How can I scale {x}?', 'What is the best way to scale {x}?'],
      ['Who owns the {x} service?', 'Who is the owner of the {x} service?'],
    ],
    namespace: [
      ['list pods in namespace {x}', 'List all pods in the {x} namespace', 'List the pods of namespace {x}'],
      ['Which pods are failing in {x}?', 'What pods are failing in {x}?'],
      ['get events of the {x} namespace', 'Get the events in namespace {x}'],
      ['What is running in {x} right now?', 'What is currently running in {x}?'],
    ],
    person: [
      [
        'Which issues are assigned to {x}?',
        'What issues are assigned to {x}?',
        'Show the issues that are assigned to {x}',
      ],
      ['What did {x} work on last sprint?', 'What has {x} worked on last sprint?'],
      ['How can I contact {x}?', 'How do I contact {x}?'],
    ],
    city: [
      [
        'What are the best restaurants in {x}?',
        'Which are the best restaurants in {x}?',
        'What are some good restaurants in {x}?',
      ],
      ['What is the weather in {x}?', "What's the weather like in {x}?", 'How is the weather in {x}?'],
      ['How do I get from the airport to {x}?', 'How can I get to {x} from the airport?'],
    ],
    project: [
      ['Show me the open issues of project {x}', 'What are the open issues in project {x}?'],
      ['What is the status of {x}?', "What's the current status of {x}?"],
    ],
    file: [
      ['Where is {x}?', 'Where can I find {x}?'],
      ['Who changed {x} last?', 'Who was the last to change {x}?'],
      ['What does {x} contain?', 'What is in {x}?'],
    ],
    ticket: [
      ['What is the status of {x}?', "What's the status of ticket {x}?"],
      ['Who works on {x}?', 'Who is working on {x}?'],
    ],
    node: [
      ['Why is {x} not ready?', 'Why is node {x} not ready?'],
      ['Show the memory of {x}', 'How much memory does {x} have?'],
    ],
    model: [
      ['How good is the {x}?', 'Is the {x} any good?'],
      ['Where can I buy the {x}?', 'Where can I buy an {x}?'],
    ],
    number: [
      ['Show the last {x} deployments', 'show me the last {x} deployments'],
      ['What can I cook with {x} eggs?', 'What could I cook with {x} eggs?'],
      ['How do I scale web to {x} replicas?', 'How can I scale web to {x} replicas?'],
      ['Where can I buy Jordan {x} shoes?', 'Where do I buy Jordan {x} shoes?'],
    ],
    version: [
      ['What changed in version {x}?', 'What has changed in version {x}?'],
      ['How do I upgrade to Python {x}?', 'How can I upgrade to Python {x}?'],
    ],
    date: [
      ['Which incidents happened on {x}?', 'What incidents happened on {x}?'],
      ['What was deployed before {x}?', 'What had been deployed before {x}?'],
      ['Show me the errors since {x}', 'show the errors since {x}'],
    ],
  },
  fr: {
    service: [
      ['Pourquoi le service {x} est-il en panne ?', 'Pourquoi est-ce que le service {x} est en panne ?'],
      ['Relance le déploiement {x}', 'relancer le déploiement {x}'],
      ['Montre les journaux de {x}', 'Montre-moi les journaux de {x}'],
      ['Qui est responsable du service {x} ?', 'Qui est le responsable du service {x} ?'],
    ],
    namespace: [
      ["Liste les pods de l'espace de noms {x}", "Lister tous les pods dans l'espace de noms {x}"],
      ['Quels pods redémarrent en boucle dans {x} ?', 'Quels sont les pods qui redémarrent en boucle dans {x} ?'],
    ],
    person: [
      ['Quels tickets sont assignés à {x} ?', 'Quels sont les tickets assignés à {x} ?'],
      ['{x} joue de la guitare.', '{x} est en train de jouer de la guitare.'],
    ],
    city: [
      ['Quel temps fait-il à {x} ?', 'Quel est le temps à {x} ?'],
      ['Un accident a fait des blessés à {x}', 'Accident à {x} : des blessés'],
    ],
    project: [['Où en est le projet {x} ?', 'Où en est-on du projet {x} ?']],
    file: [
      ['Où se trouve {x} ?', 'Où est {x} ?'],
      ['Qui a modifié {x} ?', 'Qui est-ce qui a modifié {x} ?'],
    ],
    ticket: [['Où en est le ticket {x} ?', 'Où en est {x} ?']],
    node: [["Pourquoi {x} n'est-il pas prêt ?", "Pourquoi le nœud {x} n'est-il pas prêt ?"]],
    model: [['Où acheter {x} ?', 'Où puis-je acheter {x} ?']],
    number: [
      ['Montre les {x} derniers déploiements', 'Montre-moi les {x} derniers déploiements'],
      ['{x} hommes sont assis sur un banc.', '{x} hommes assis sur un banc.'],
    ],
    version: [["Qu'est-ce qui change dans la version {x} ?", 'Que change la version {x} ?']],
    date: [
      ['Quels incidents ont eu lieu le {x} ?', 'Quels sont les incidents du {x} ?'],
      ['Ce que disent les journaux, {x}', 'Ce que les journaux disent, {x}'],
    ],
  },
};
const KIND_OF = {
  service: 'identifier',
  person: 'identifier',
  city: 'identifier',
  project: 'identifier',
  file: 'identifier',
  ticket: 'identifier',
  node: 'identifier',
  model: 'identifier',
  namespace: 'namespace',
  number: 'number',
  version: 'number',
  date: 'date',
};

const NEGATED = {
  en: [
    ['Which issues are assigned to {p}?', 'Which issues are not assigned to {p}?'],
    ['Which pods are running in {ns}?', "Which pods aren't running in {ns}?"],
    ['Is {s} enabled in {ns}?', 'Is {s} disabled in {ns}?'],
    ['How do I enable {s} in {ns}?', 'How do I disable {s} in {ns}?'],
    ['How can I start {s}?', 'How can I stop {s}?'],
    ['Deployments of {s} with errors', 'Deployments of {s} without errors'],
    ['Should I merge before the release of {s}?', 'Should I merge after the release of {s}?'],
    ['Why does {s} respond?', 'Why does {s} never respond?'],
    ['What are the most used features of {s}?', 'What are the least used features of {s}?'],
    ['Which users of {s} have logged in?', 'Which users of {s} have not logged in?'],
    [
      'How many digits are there in {s} if repetitions are allowed?',
      'How many digits are there in {s} if no repetitions are allowed?',
    ],
    ['How do I open the port of {s}?', 'How do I close the port of {s}?'],
    ['How do I increase the memory of {s}?', 'How do I decrease the memory of {s}?'],
  ],
  fr: [
    ['Quels tickets sont assignés à {p} ?', 'Quels tickets ne sont pas assignés à {p} ?'],
    ['Quels pods redémarrent dans {ns} ?', 'Quels pods ne redémarrent pas dans {ns} ?'],
    ['Comment activer {s} dans {ns} ?', 'Comment désactiver {s} dans {ns} ?'],
    ['{p} lève une interdiction', '{p} maintient une interdiction'],
    ['Les déploiements de {s} avec erreurs', 'Les déploiements de {s} sans erreurs'],
    ['Pourquoi {s} répond ?', "Pourquoi {s} n'a jamais répondu ?"],
    ['{p} a ouvert la porte.', "{p} n'a pas ouvert la porte."],
    ['Comment démarrer {s} ?', 'Comment arrêter {s} ?'],
    ['Le prix de {s} augmente', 'Le prix de {s} diminue'],
    ['Que faire avant la mise en production de {s} ?', 'Que faire après la mise en production de {s} ?'],
  ],
};
const ROLES = {
  en: [
    ['How is {1} better than {2}?', 'service'],
    ['Does {1} call {2}?', 'service'],
    ['How do I copy files from {1} to {2}?', 'namespace'],
    ['How do I migrate from {1} to {2}?', 'service'],
    ['Did {1} send {2} the report?', 'person'],
    ['Which tickets did {1} hand to {2}?', 'person'],
    ['How far is {1} if I start in {2}?', 'city'],
    ['What would {1} rarely share with {2}?', 'person'],
    ['How do I convert {1} to {2}?', 'unit'],
    ['Is {1} older than {2}?', 'city'],
    ['Promote {1} into {2}', 'namespace'],
    ['Does {1} depend on {2}?', 'service'],
    ['What happens to {1} when {2} fails?', 'service'],
  ],
  fr: [
    ['{1} est-il meilleur que {2} ?', 'service'],
    ['Comment copier des fichiers de {1} vers {2} ?', 'namespace'],
    ['{1} a envoyé le rapport à {2}.', 'person'],
    ['Le service {1} appelle-t-il {2} ?', 'service'],
    ['Comment migrer de {1} vers {2} ?', 'service'],
    ['{1} a battu {2} en finale', 'person'],
    ['Comment convertir des {1} en {2} ?', 'unit'],
    ['Que devient {1} quand {2} tombe en panne ?', 'service'],
  ],
};
const MEASURED = {
  en: [
    ['How do I set the timeout to {n} {u}?', 0],
    ['What happened in the last {n} {u}?', 0],
    ['Give {s} {n} {u} of memory', 1],
    ['How long is {n} {u}?', 2],
    ['What can I buy for {n} {u}?', 3],
    ['Is {n} degrees {u} hot?', 4],
    ['What is the timeout of {s} in {u}?', 0],
  ],
  fr: [
    ['Comment fixer le délai à {n} {u} ?', 0],
    ["Que s'est-il passé ces {n} {u} ?", 0],
    ['Donne {n} {u} de mémoire à {s}', 1],
    ['Que peut-on acheter pour {n} {u} ?', 3],
    ['Quel est le délai de {s} en {u} ?', 0],
  ],
};

/** Numbers from 0 to 1, the same for the same seed. @param {number} seed */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @param {number} count @param {number} seed @returns {TextPair[]} pairs that ask for different things */
export function generateSwaps(count, seed) {
  const random = seeded(seed);
  const kinds = [swapWord, swapWord, swapWord, swapNegation, swapUnit, swapRole];
  return Array.from({ length: count }, (_, index) => {
    const lang = /** @type {'en' | 'fr'} */ (index % 2 === 0 ? 'en' : 'fr');
    const pair = kinds[Math.floor(random() * kinds.length)](lang, random);
    const turned = random() < 0.5 ? { a: pair.b, b: pair.a } : {};
    return { id: `swap-${seed}-${index}`, lang, same: false, ...pair, ...turned };
  });
}

/** @param {number} count @param {number} seed @returns {TextPair[]} pairs that ask for one thing in two wordings */
export function generateRewordings(count, seed) {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const lang = /** @type {'en' | 'fr'} */ (index % 2 === 0 ? 'en' : 'fr');
    const { slot, wordings, fill } = pickAsked(lang, random);
    const [a, b] = two(wordings, random);
    const value = pick(valuesOf(slot, lang), random);
    return { id: `same-${seed}-${index}`, kind: 'rewording', lang, same: true, a: fill(a, value), b: fill(b, value) };
  });
}

const pick = (values, random) => values[Math.floor(random() * values.length)];
const two = (values, random) => {
  const first = Math.floor(random() * values.length);
  return [values[first], values[(first + 1 + Math.floor(random() * (values.length - 1))) % values.length]];
};
const valuesOf = (slot, lang) =>
  slot === 'number' ? NUMBERS : slot === 'version' ? VERSIONS : slot === 'date' ? DATES[lang] : NAMES[slot];

function pickAsked(lang, random) {
  const slot = pick(Object.keys(ASKED[lang]), random);
  const wordings = pick(ASKED[lang][slot], random);
  const ns = pick(NAMES.namespace, random);
  return { slot, wordings, fill: (text, value) => text.replace('{x}', value).replace('{ns}', ns) };
}

function swapWord(lang, random) {
  const { slot, wordings, fill } = pickAsked(lang, random);
  const [one, other] = two(valuesOf(slot, lang), random);
  return { kind: KIND_OF[slot], a: fill(pick(wordings, random), one), b: fill(pick(wordings, random), other) };
}

function swapNegation(lang, random) {
  const [a, b] = pick(NEGATED[lang], random);
  const values = { p: pick(NAMES.person, random), s: pick(NAMES.service, random), ns: pick(NAMES.namespace, random) };
  const fill = (text) => text.replace(/\{(p|s|ns)\}/g, (_, name) => values[name]);
  return { kind: 'negation', a: fill(a), b: fill(b) };
}

function swapUnit(lang, random) {
  const [text, group] = pick(MEASURED[lang], random);
  const [one, other] = two(UNITS[lang][group], random);
  const [n, s] = [pick(NUMBERS, random), pick(NAMES.service, random)];
  const fill = (unit) => text.replace('{n}', n).replace('{s}', s).replace('{u}', unit);
  return { kind: 'unit', a: fill(one), b: fill(other) };
}

function swapRole(lang, random) {
  const [text, slot] = pick(ROLES[lang], random);
  const [one, other] = two(slot === 'unit' ? pick(UNITS[lang], random) : NAMES[slot], random);
  const fill = (first, second) => text.replace('{1}', first).replace('{2}', second);
  return { kind: 'role', a: fill(one, other), b: fill(other, one) };
}
