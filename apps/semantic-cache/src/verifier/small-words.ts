import type { GuardRefusal } from './guard-refusal.js';
import type { Word } from './words.js';

/** Function words of closed classes, folded, English and French: one of another group in its place, or one more, asks for something else. */
const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

interface Groups {
  readonly refused: GuardRefusal;
  readonly groups: readonly ReadonlySet<string>[];
}

/** Refused when each text has a group of the class that the other has not: how many, whether one may or must, whose, when. */
const EXCHANGED: readonly Groups[] = [
  {
    refused: 'numbers',
    groups: [
      'all every each entire whole tous toutes chaque',
      'some several certain certains certaines quelques plusieurs',
      'most majority plupart majorite',
      'few fewer little peu',
      'many much beaucoup nombreux nombreuses',
      'couple pair paire',
    ].map(set),
  },
  { refused: 'numbers', groups: ['all every each both tous toutes chaque', 'any either neither'].map(set) },
  {
    refused: 'negation',
    groups: [
      'can could may might able allowed peut peuvent peux puis pouvons pouvez pourrait pourraient',
      'must mandatory obliged doit doivent dois devons devez faut obligatoire',
    ].map(set),
  },
  { refused: 'negation', groups: ['and et', 'or ou', 'but'].map(set) },
  {
    refused: 'negation',
    groups: ['before until prior avant jusque jusqu', 'during pendant since depuis', 'after apres'].map(set),
  },
  { refused: 'negation', groups: ['until jusque jusqu', 'from since depuis'].map(set) },
  {
    refused: 'negation',
    groups: [
      'former previous past precedent precedente ancien ancienne',
      'current present actuel actuelle',
      'next upcoming future prochain prochaine futur future',
      'latest newest recent dernier derniere recente',
    ].map(set),
  },
  {
    refused: 'negation',
    groups: ['is are am est sont', 'was were etait etaient', 'will sera seront'].map(set),
  },
  { refused: 'negation', groups: ['my mine mon ma mes', 'your yours votre vos ton ta tes'].map(set) },
  { refused: 'order', groups: ['by par', 'for pour', 'from depuis'].map(set) },
  { refused: 'order', groups: ['by par', 'toward towards vers au aux'].map(set) },
];

/** Refused as negation when one text has a word of the class and the other none, nor one that may say the same. */
const ALONE: readonly (readonly [words: ReadonlySet<string>, instead: ReadonlySet<string>])[] = [
  // Exceptions and limits.
  [set('except excluding excludes besides apart aside instead unless sauf excepte hormis hors outre'), set('')],
  [set('only solely exclusively seul seule seuls seules seulement uniquement'), set('')],
  [set('almost nearly hardly barely scarcely seldom rarely presque quasiment rarement guere'), set('')],
  // What is so in spite of it.
  [set('despite although though whereas malgre quoique'), set('')],
  // Verbs that turn what they govern round.
  [
    set(
      'avoid avoids avoided avoiding prevent prevents prevented preventing refuse refuses refused refusing lack lacks lacked lacking eviter evite evitent empecher empeche refuser refuse manquant',
    ),
    set(
      'stop stops stopped stopping quit rid not no never without less reduce overcome fight protect dont cant ne sans arreter',
    ),
  ],
];

/** Who says "I" or "you" of anybody says "my" or "your" of anybody. */
const ANYBODY = set('i you we one je j tu vous nous on');
const OWNERS = set('my mine your yours mon ma mes votre vos ton ta tes');
const ARTICLES = set('a an the un une le la les l');
const EXCEPTING: ReadonlySet<string> = new Set([
  'rather than',
  'other than',
  'à part',
  'au lieu',
  'plutot que',
  'plutot qu',
]);
const DETERMINERS = set('a an the my your his her its our their this that these those');

/** Why function words keep one text from answering for the other. */
export function refusedBySmallWords(a: readonly Word[], b: readonly Word[]): GuardRefusal | undefined {
  const [inA, inB] = [smallWordsOf(a), smallWordsOf(b)];
  const exchanged = EXCHANGED.find(({ groups }) => hasMore(groups, inA, inB) && hasMore(groups, inB, inA));
  if (exchanged !== undefined) return exchanged.refused;
  const stands = (words: ReadonlySet<string>, instead: ReadonlySet<string>): boolean =>
    (hasAny(words, inA) && !hasAny(words, inB) && !hasAny(instead, inB)) ||
    (hasAny(words, inB) && !hasAny(words, inA) && !hasAny(instead, inA));
  return ALONE.some(([words, instead]) => stands(words, instead)) ? 'negation' : undefined;
}

function smallWordsOf(words: readonly Word[]): ReadonlySet<string> {
  const folded = words.map((word) => word.folded);
  const ofAnybody = folded.some((word, at) => ANYBODY.has(word) && folded[at - 1] !== 'rendez');
  const meant = folded.map((word, at) => {
    const led = ARTICLES.has(folded[at - 1] ?? '');
    // "a few" are some, and "the most beautiful" says nothing of how many.
    if (led && (word === 'few' || word === 'little')) return 'some';
    if ((led && (word === 'most' || word === 'peu')) || (ofAnybody && OWNERS.has(word))) return '';
    // "Should I …?" asks for what must be; "How should I …?" for a way.
    if (at === 0 && /^(?:should|shall|need|devrait|devrais)$/.test(word)) return 'must';
    if (word === 'to' && DETERMINERS.has(folded[at + 1] ?? '')) return 'toward';
    if (EXCEPTING.has(`${words[at - 1]?.text.toLowerCase()} ${word}`)) return 'except';
    if (word === 'to' && folded[at - 1] === 'going') return 'will';
    // "Even if", "même si".
    return (word === 'if' && folded[at - 1] === 'even') || (word === 'si' && folded[at - 1] === 'meme')
      ? 'despite'
      : word;
  });
  return new Set(meant);
}

const hasMore = (
  groups: readonly ReadonlySet<string>[],
  own: ReadonlySet<string>,
  other: ReadonlySet<string>,
): boolean => groups.some((words) => hasAny(words, own) && !hasAny(words, other));

function hasAny(words: ReadonlySet<string>, text: ReadonlySet<string>): boolean {
  for (const word of words) if (text.has(word)) return true;
  return false;
}
