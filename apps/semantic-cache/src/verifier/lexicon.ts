/** Words that the verifier knows, folded (lower case, no accents), English and French: what no statistics of ours would teach it. */
const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));
const map = (entries: string): ReadonlyMap<string, string> =>
  new Map(
    entries
      .trim()
      .split(/\s*;\s*/)
      .flatMap((entry) => {
        const [canonical = '', ...others] = entry.trim().split(/\s+/);
        return [canonical, ...others].map((word) => [word, canonical] as const);
      }),
  );

/** Words that say how others stand together. Apostrophes split words, so what stands before or after one is here as well. */
export const FUNCTION_WORDS = set(`
  a an the this that these those some any each every all both either such and or but if then than as of at by for from in into on onto to
  with without within about over under between among through during before after above below up down off out near per via against toward towards
  i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours ourselves they them their theirs
  themselves one ones someone somebody anyone anybody everyone everybody something anything everything who whom whose which what when where why how
  be am is are was were been being do does did doing done have has had having will would shall should can could may might must ought
  not no nor never none neither nobody nothing cannot so too very just only also even still yet ever there here again more most less least much many few
  s t d ll re ve m don doesn didn isn aren wasn weren won wouldn shouldn couldn hasn haven hadn dont doesnt didnt isnt arent wasnt werent wont wouldnt
  shouldnt couldnt hasnt havent hadnt cant whats hows wheres whos im ive id youre theyre etc please
  le la les un une des du de d l au aux ce cet cette ces c mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs je j tu il elle on nous vous ils
  elles me m te t se s lui y en qu que qui quoi dont ou quand comment pourquoi combien quel quelle quels quelles lequel laquelle lesquels lesquelles
  et ni mais donc or car si comme par pour dans sur sous avec sans chez vers entre contre depuis pendant avant apres jusque jusqu
  ne n pas plus moins jamais rien aucun aucune personne non tres trop peu aussi encore deja toujours bien tout toute tous toutes quelque quelques
  est sont etait etaient etre ete suis es sommes etes sera seront serait a ai as avons avez ont avait avaient aura auront aurait avoir eu
  fait faire peut peuvent pouvoir pourrait doit doivent devoir devrait va vont cela ca ceci celui celle ceux celles lors ainsi alors y
`);

/** Words that carry little: their order, or one of them more, says nothing of who does what to whom. */
export const LIGHT_WORDS = set(`
  get gets got getting make makes made making take takes go going want wants like need needs use uses used using know find found tell give think
  way ways thing things kind kinds type types good better best great top people person someone really actually possible main major different various
  become becomes happen happens happened begin start starting time times lot lots keep place places fact case while whilst around else yes true truth
  effective easiest easy easily simple simplest quickest fastest efficient useful useful perfect suitable right interesting worth possible
  believe feel opinion consider try trying tried help helps seem seems look looks call called certain particular general
  able ever currently today now exactly anyone mean means meaning explain describe example examples list
  faire chose choses facon bon bonne meilleur meilleure meilleurs meilleures gens train
`);

export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zero: '0',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
    ten: '10',
    eleven: '11',
    twelve: '12',
    thirteen: '13',
    fourteen: '14',
    fifteen: '15',
    sixteen: '16',
    seventeen: '17',
    eighteen: '18',
    nineteen: '19',
    twenty: '20',
    thirty: '30',
    forty: '40',
    fifty: '50',
    sixty: '60',
    seventy: '70',
    eighty: '80',
    ninety: '90',
    hundred: '100',
    thousand: '1000',
    twice: '2x',
    dozen: '12x',
    half: '1/2',
    double: '2x',
    triple: '3x',
    deux: '2',
    trois: '3',
    quatre: '4',
    cinq: '5',
    sept: '7',
    huit: '8',
    neuf: '9',
    dix: '10',
    onze: '11',
    douze: '12',
    treize: '13',
    quatorze: '14',
    quinze: '15',
    seize: '16',
    vingt: '20',
    trente: '30',
    quarante: '40',
    cinquante: '50',
    soixante: '60',
    cent: '100',
    mille: '1000',
    million: 'e6',
    millions: 'e6',
    billion: 'e9',
    billions: 'e9',
    milliard: 'e9',
    milliards: 'e9',
    trillion: 'e12',
    dozens: '12xs',
    hundreds: '100s',
    thousands: '1000s',
    centaines: '100s',
    milliers: '1000s',
    dizaine: '10x',
    douzaine: '12x',
    quinzaine: '15x',
    vingtaine: '20x',
    trentaine: '30x',
    cinquantaine: '50x',
    centaine: '100x',
    millier: '1000x',
    moitie: '1/2',
    tiers: '1/3',
    quart: '1/4',
  }),
);

/** Units by one name each. */
export const UNITS = map(`
  ms millisecond milliseconds milliseconde millisecondes; second seconds sec secs seconde secondes; minute minutes min mins; hour hours hr hrs heure heures;
  day days jour jours journee; week weeks semaine semaines; month months mois; year years yr yrs ans annee annees; decade decades decennie; century centuries siecle;
  byte bytes octet octets; kb kilobyte kilobytes ko kib; mb megabyte megabytes mo mib; gb gigabyte gigabytes gib; tb terabyte terabytes tib;
  bit bits; mbps; gbps; kbps; mm millimetre millimetres millimeter millimeters; cm centimetre centimetres centimeter centimeters;
  metre metres meter meters; km kilometre kilometres kilometer kilometers kms; mile miles; inch inches pouce pouces; foot feet pied pieds; yard yards;
  gram grams gramme grammes; kg kilogram kilograms kilogramme kilogrammes kgs kilo kilos; mg; lb lbs pound pounds; ounce ounces oz; ton tons tonne tonnes;
  litre litres liter liters; ml millilitre millilitres; gallon gallons; celsius; fahrenheit; kelvin; watt watts; kw kilowatt kilowatts; kwh; mwh; volt volts; hz; khz; mhz; ghz;
  dollar dollars usd; euro euros eur; inr rupee rupees rs; yen yens; gbp; percent pourcent; core cores coeur coeurs; crore crores; lakh lakhs
`);

/** Places in a row, by one name each. */
export const ORDINALS = map(`
  #1 first premier premiere; #2 deuxieme; #3 third troisieme; #4 fourth quatrieme; #5 fifth cinquieme; #6 sixth sixieme; #7 seventh septieme; #8 eighth huitieme;
  #9 ninth neuvieme; #10 tenth dixieme; last dernier derniere
`);

/** What days and months are called: a date in words. */
export const CALENDAR = map(`
  monday lundi; tuesday mardi; wednesday mercredi; thursday jeudi; friday vendredi; saturday samedi; sunday dimanche;
  january janvier; february fevrier; mars; april avril; june juin; july juillet; august aout; september septembre; october octobre;
  november novembre; december decembre; yesterday hier; tomorrow demain; today aujourd; weekend; morning matin; evening soir; night nuit;
  spring printemps; summer; autumn automne; winter hiver
`);

/** Alone, without a verb that is turned round elsewhere, each of these says the opposite. */
export const NEGATIONS =
  set(`not no never none nobody nothing neither nor cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt
  hasnt havent hadnt without non sans aucun aucune`);
/** The halves of a French negation, which count once together. */
export const FRENCH_NE = set('ne n');
export const FRENCH_PAS = set('pas jamais rien');

/** One spelling for words that mean one thing. */
export const SAME_WORDS = map(`
  favorite favourite favorites favourites; color colour colors colours; center centre; program programme; tv television televiseur; movie movies film films; phone mobile smartphone cellphone;
  biggest largest; big large huge; buy purchase; begin start; job jobs; photo photos picture pictures photograph; house home; car automobile cars automobiles; kid kids child children; mom mother; dad father; doctor physician;
  usa us america; uk britain; india indian indians; girlfriend gf; boyfriend bf; maths math mathematics; app apps application applications; website site websites; laptop notebook; company companies firm;
  learn study studying learning; earn earning; fast quick quickly rapidly; improve improving improvement enhance; increase increasing; reduce reducing; answer answers; ask asked asking; boy boys; increase grow; create build develop;
  exam examination exams; bike motorcycle bikes; pc computer computers; stop quit; remove delete; cause causes reason reasons; difference differences differ; important importance; benefit benefits advantage advantages;
  travel visit; happen occur occurs happened; technology technologies tech technological; email mail emails mails; lawyer lawyers attorney attorneys; information data info; release launch released launched;
  speak spoken speaking spoke talk; break broken broke breaking; woman women; man men; rich wealthy; famous popular; necessary essential required; recognize identify recognise; afraid scared fear; plan strategy plans strategies;
  motivate motivation motivated motivating; government govt governments; pronounce pronunciation; see seen saw watch watching viewed view views; tell told say said says; recover retrieve restore recovering; guess predict; handle deal cope dealing;
  fix solve repair resolve fixing solving; display show; method methods technique techniques approach; recommend suggest recommended recommendations suggestion suggestions; amazing awesome; dangerous harmful; hire recruit hiring; end finish; mistake error mistakes errors;
  choose select chose choosing; live living lives; teenager teenagers teen teens; preparation prepare preparing prepared; write writing written wrote; meet met meeting; lose losing lost; win winning won; die died death dead; marry married marriage; grow growing grew growth;
  natural naturally; different difference differs; develop development developer; perform performance; distinguish difference; internet online web; daily everyday; quickly faster; huge enormous; normal regular; pc computer; skill skills; kind kindest; symptom signs;
  declare dit annonce affirme indique; tranche tranches; coupe coupent coupant; jeune jeunes; enfant enfants; bambin bebe; joue jouent jouait jouant jouer; marche marchent marchant; court courent courant courir; mange mangent mangeant manger; danse dansent dansant; saute sautent sautant sauter;
  tip tips advice; hotel hotels; language languages; cost price; safe safety; true real; guy man; symptom symptoms sign signs; list show; repo repository; k8s kubernetes; db database; config configuration; env environment; prod production
`);
