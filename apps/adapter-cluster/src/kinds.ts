/** Kubernetes kinds as people and API servers spell them, compared so that no spelling slips by. */

/** kubectl's short names of what an operator is likely to deny. */
const SHORT_NAMES = new Map(
  Object.entries({
    cm: 'configmap',
    cj: 'cronjob',
    crd: 'customresourcedefinition',
    csr: 'certificatesigningrequest',
    deploy: 'deployment',
    ds: 'daemonset',
    ep: 'endpoint',
    hpa: 'horizontalpodautoscaler',
    ing: 'ingress',
    limits: 'limitrange',
    netpol: 'networkpolicy',
    no: 'node',
    ns: 'namespace',
    pdb: 'poddisruptionbudget',
    po: 'pod',
    pv: 'persistentvolume',
    pvc: 'persistentvolumeclaim',
    quota: 'resourcequota',
    rs: 'replicaset',
    sa: 'serviceaccount',
    sts: 'statefulset',
    svc: 'service',
  }),
);

/** Letters, digits, and the separators of `secrets.v1.` and `core/v1/Secret`: nothing that folds into something else. */
const SPELLING = /^[A-Za-z0-9][A-Za-z0-9./_-]{0,252}$/;

/**
 * What kinds are compared by: no case, no group or version, no `List`, no plural; not a word to show. Undefined for what is
 * no kind at all.
 */
export function plainKind(spelled: string): string | undefined {
  const text = spelled.trim();
  if (!SPELLING.test(text)) return undefined;
  const bare = text.toLowerCase().split('/').at(-1)!.split('.')[0]!;
  return stem(SHORT_NAMES.get(bare) ?? (bare === 'list' ? bare : bare.replace(/list$/, '')));
}

/** The same for a word and its plural, and that is all: `ingress` and `ingresses` are both `ingr`. */
const stem = (word: string): string => word.replace(/ies$/, 'y').replace(/[es]+$/, '');
