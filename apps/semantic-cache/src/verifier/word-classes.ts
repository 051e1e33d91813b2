/** Function words by what they do, folded, English and French. */
const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const PREPOSITIONS = set(
  'in on at for from to with into about over under between by as than without against of during after before near dans sur pour de d en avec sans chez vers par au aux a',
);
export const MODALS = set('can could should would will may might must peut peuvent pourrait doit doivent devrait faut');
export const DEGREES = set(
  'most more less least only very too just still ever first last new all any every each plus moins seul seule seulement tres encore',
);
export const FIRST_PERSON = set('i me my mine myself we us our ours je j me m mon ma mes nous notre nos');
export const THIRD_PERSON = set(
  'he him his himself she her hers they them their il elle ils elles lui leur leurs son sa ses',
);
export const CONJUNCTIONS = set('and or but et ou mais if si because when while');
/** What a question that wants a yes or a no begins with. */
export const YES_NO = set(
  'is are was were do does did can could should would will has have had may might must am est sont peut puis',
);
export const FRENCH = set(
  'le la les l un une des du de d au aux est sont et dans pour sur avec qui que ne pas en se son sa ses ce cette quel quelle quels quelles comment pourquoi vous nous je il elle ils elles on si oui mais ou cela ca c qu n y etes avec par',
);
