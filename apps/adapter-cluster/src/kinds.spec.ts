import { describe, expect, it } from '@jest/globals';
import { plainKind } from './kinds.js';

describe('[AD-6] plainKind', () => {
  it.each([
    'Secret',
    'secret',
    'SECRET',
    'sEcReT',
    ' Secret ',
    'secrets',
    'Secrets',
    'SecretList',
    'secretlist',
    'SecretsList',
    'v1/Secret',
    'core/v1/secrets',
    'secrets.v1.',
    'secret.v1.core',
    'Secret.vault.example.com',
  ])('sees a Secret in %j', (spelled) => {
    expect(plainKind(spelled)).toBe(plainKind('Secret'));
  });

  it.each([
    ['ConfigMap', 'cm'],
    ['ConfigMap', 'configmaps'],
    ['Ingress', 'ingresses'],
    ['Ingress', 'ing'],
    ['NetworkPolicy', 'networkpolicies'],
    ['NetworkPolicy', 'netpol'],
    ['Service', 'svc'],
    ['Service', 'services'],
    ['Node', 'nodes'],
    ['Endpoints', 'ep'],
  ])('takes %s and %s for one kind', (kind, other) => {
    expect(plainKind(other)).toBe(plainKind(kind));
  });

  it.each(['SecretStore', 'SealedSecret', 'Secretary', 'ConfigMap', 'List', 'Pod'])(
    'does not take %s for a Secret',
    (kind) => {
      expect(plainKind(kind)).not.toBe(plainKind('Secret'));
    },
  );

  it.each([
    '',
    '  ',
    'ſecret',
    'Sеcret',
    'Sec​ret',
    'Secret\0',
    'Secret\nPod',
    'Sécret',
    'ＳＥＣＲＥＴ',
    'x'.repeat(254),
  ])('knows no kind spelled %j', (spelled) => {
    expect(plainKind(spelled)).toBeUndefined();
  });

  it('knows no kind in the names that every object has', () => {
    expect(plainKind('constructor')).toBe('constructor');
  });
});
