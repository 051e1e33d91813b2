import { YES_NO } from './word-classes.js';
import type { Word } from './words.js';

/** What a text asks for. */
export type Question = 'what' | 'how' | 'much' | 'why' | 'when' | 'where' | 'who' | 'yesno' | 'none';
interface Asking {
  readonly text: string;
  readonly words: readonly Word[];
}

const ASKS: ReadonlyMap<string, Question> = new Map(
  (
    [
      ['what', 'what which whats quel quelle quels quelles quoi'],
      ['how', 'how comment'],
      ['much', 'combien'],
      ['why', 'why pourquoi'],
      ['when', 'when quand'],
      ['where', 'where ou'],
      ['who', 'who whom whose qui'],
    ] as const
  ).flatMap(([question, words]) => words.split(' ').map((word) => [word, question] as const)),
);
/** These ask only where a text begins: elsewhere they are "or", "who" and a comment. */
const ASK_FIRST = new Set(['ou', 'qui', 'comment']);
const FOLLOWS_MUCH = new Set(['many', 'much', 'long', 'far', 'old', 'often', 'big', 'tall', 'fast']);

export function questionOf({ words, text }: Asking): Question {
  if (YES_NO.has(words[0]?.folded ?? '')) return 'yesno';
  const at = words.findIndex(({ folded }, index) => ASKS.has(folded) && (index === 0 || !ASK_FIRST.has(folded)));
  if (at < 0) return text.includes('?') ? 'yesno' : 'none';
  const asked = ASKS.get(words[at]!.folded)!;
  return asked === 'how' && FOLLOWS_MUCH.has(words[at + 1]?.folded ?? '') ? 'much' : asked;
}

/** "How do I …" and "what is the way to …" are one question. */
export function looseQuestionOf(text: Asking): Question {
  const question = questionOf(text);
  return question === 'how' ? 'what' : question;
}

export const changedQuestion = (a: Asking, b: Asking, question: Question): boolean =>
  (questionOf(a) === question) !== (questionOf(b) === question);

/** "What is a diving bell?": asks what it is, where another question of the same words asks for something about it. */
export function isDefinition(words: readonly Word[]): boolean {
  const opening = words.slice(0, words[2]?.content === false ? 3 : 2).map(({ folded }) => folded);
  return (
    words.length <= 6 &&
    /^what (is|are|was|were)( an?| the)?$/.test(opening.join(' ')) &&
    words.slice(3).every(({ content }) => content)
  );
}
