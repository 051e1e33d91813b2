/** Pairs of which one in each text means that the texts ask for opposite things. */
const OPPOSITES = `
  enable disable; enabled disabled; start stop; starts stops; started stopped; starting stopping; open close; opens closes; opened closed; opening closing; on off;
  in out; up down; before after; above below; over under; more less; most least; more fewer; increase decrease; increases decreases; increased decreased;
  increasing decreasing; increase reduce; increasing reducing; gain lose; gaining losing; gain loss; win lose; wins loses; won lost; buy sell; buying selling;
  bought sold; import export; imports exports; upload download; uploading downloading; push pull; lock unlock; locked unlocked; block unblock; add remove; adding removing; added removed;
  create delete; creating deleting; created deleted; allow deny; allows denies; allowed denied; allow forbid; allow block; allow prevent; accept reject; accepts rejects; accepted rejected;
  grant revoke; attach detach; mount unmount; connect disconnect; connected disconnected; install uninstall; installing uninstalling; encrypt decrypt; encode decode; compress decompress;
  show hide; showing hiding; join leave; joining leaving; enter exit; love hate; loves hates; best worst; better worse; good bad; advantage disadvantage; advantages disadvantages;
  pros cons; positive negative; high low; higher lower; highest lowest; big small; bigger smaller; biggest smallest; large small; larger smaller; largest smallest; long short;
  longer shorter; longest shortest; tall short; fast slow; faster slower; fastest slowest; rich poor; easy hard; easy difficult; easiest hardest; easier harder; cheap expensive;
  cheapest costliest; strong weak; stronger weaker; strongest weakest; hot cold; old young; older younger; oldest youngest; old new; oldest newest; first last; early late; earlier later; earliest latest;
  next previous; min max; minimum maximum; ascending descending; asc desc; left right; north south; east west; northern southern; eastern western; male female; men women; man woman; boy girl; boys girls;
  husband wife; father mother; son daughter; brother sister; boyfriend girlfriend; him her; he she; his her; king queen; day night; public private; internal external; input output; inbound outbound; incoming outgoing;
  ingress egress; sender receiver; source destination; client server; parent child; upper lower; true false; right wrong; success failure; succeed fail; succeeded failed; success error; succeeds fails; alive dead;
  online offline; active inactive; valid invalid; visible invisible; legal illegal; include exclude; includes excludes; including excluding; with without; for against; from to; to from; up down; upgrade downgrade;
  scale shrink; grow shrink; rise fall; rises falls; rose fell; raise lower; raised lowered; lift keep; lifts keeps; lifts maintains; lift maintain; lend borrow; teach learn; send receive; sending receiving; ask answer;
  always never; ask tell; married single; healthy unhealthy; happy sad; safe dangerous; read write; reads writes; reading writing; acquire release; lock release; pause resume; suspend resume; ban unban; mute unmute;
  follow unfollow; subscribe unsubscribe; approve reject; approved rejected; assign unassign; assigned unassigned; merge split; begin end; begins ends; forward backward; horizontal vertical;
  ouvre ferme; ouvrir fermer; ouvrent ferment; ouverture fermeture; ouvert ferme; ouverts fermes; active desactive; activer desactiver; demarre arrete; demarrer arreter; lance arrete; lancer arreter; commence finit; commence termine; commencer finir;
  augmente diminue; augmente baisse; augmenter diminuer; augmenter baisser; hausse baisse; monte descend; monter descendre; gagne perd; gagner perdre; gagne perdu; gagnent perdent; achete vend; acheter vendre; ajoute supprime; ajoute retire;
  ajouter supprimer; ajouter retirer; cree supprime; creer supprimer; autorise interdit; autoriser interdire; accepte refuse; accepte rejette; accepter refuser; accepter rejeter; ordonne rejette; approuve rejette; maintient leve; maintenir lever; avant apres; avec sans;
  pour contre; plus moins; premier dernier; premiere derniere; meilleur pire; bon mauvais; bonne mauvaise; grand petit; grande petite; grands petits; haut bas; haute basse; long court; rapide lent; vite lentement; riche pauvre; facile difficile;
  jeune vieux; chaud froid; homme femme; hommes femmes; garcon fille; garcons filles; fils fille; pere mere; frere soeur; mari femme; nord sud; est ouest; gauche droite; jour nuit; public prive; publique privee; interne externe;
  entrant sortant; entree sortie; entre sort; verrouille deverrouille; verrouiller deverrouiller; installer desinstaller; connecter deconnecter; montrer cacher; affiche masque; afficher masquer; reussi echoue; reussite echec; vrai faux; sur sous; dedans dehors;
  debut fin; precedent suivant; precedente suivante; minimum maximum; toujours jamais; envoie recoit; envoyer recevoir; lire ecrire; lit ecrit; inclure exclure; actif inactif; actifs inactifs; assigne desassigne; noir blanc; noire blanche; black white; debout assis; standing sitting
`;
export const OPPOSITE_PAIRS: ReadonlySet<string> = new Set(
  OPPOSITES.trim()
    .split(/\s*;\s*/)
    .flatMap((pair) => {
      const [a = '', b = ''] = pair.trim().split(/\s+/);
      return [`${a} ${b}`, `${b} ${a}`];
    }),
);
