/** Function words by what they do, folded, English and French. */
const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const PREPOSITIONS = set(
  'in on at for from to with into about over under between by as than without against of during after before near dans sur pour de d en avec sans chez vers par au aux a',
);
export const MODALS = set('can could should would will may might must peut peuvent pourrait doit doivent devrait faut');
export const DEGREES = set(
  'most more less least only very too just still ever first last new all any every each plus moins seul seule seulement tres encore',
);
export const CONJUNCTIONS = set('and or but et ou mais if si because when while');
/** What a question that wants a yes or a no begins with. */
export const YES_NO = set(
  'is are was were do does did can could should would will has have had may might must am est sont peut puis',
);
export const FRENCH = set(
  'le la les l un une des du de d au aux est sont et dans pour sur avec qui que ne pas en se son sa ses ce cette quel quelle quels quelles comment pourquoi',
);
