import { describe, expect, it } from '@jest/globals';
import type { GuardRefusal } from './guard-refusal.js';
import { refusedBySmallWords } from './small-words.js';
import { wordsOf } from './words.js';

type Pairs = readonly (readonly [string, string])[];
/** Whichever of the two is asked first. */
const each = (pairs: Pairs, expected: GuardRefusal | undefined): void => {
  const refused = (a: string, b: string) => refusedBySmallWords(wordsOf(a), wordsOf(b));
  const found = pairs.map(([a, b]) => ({ a, b, refused: [refused(a, b), refused(b, a)] }));
  expect(found).toEqual(pairs.map(([a, b]) => ({ a, b, refused: [expected, expected] })));
};

describe('[SC-4] function words that change what is asked', () => {
  it('[SC-4] how many: all, some, most, many, few', () => {
    each(
      [
        ['Did all tests pass?', 'Did some tests pass?'],
        ['Did any tests fail?', 'Did all tests fail?'],
        ['Do most users pay?', 'Do all users pay?'],
        ['most services have an owner', 'few services have an owner'],
        ['many errors in the log', 'few errors in the log'],
        ['a couple of pods are failing', 'a few pods are failing'],
        ['does either region fail', 'do both regions fail'],
        ['Tous les tests passent', 'Certains tests passent'],
        ['chaque service a un responsable', 'plusieurs services ont un responsable'],
        ["beaucoup d'erreurs", "peu d'erreurs"],
        ['la plupart des disques', 'tous les disques'],
      ],
      'numbers',
    );
  });

  it('[SC-4] what may be, and what must', () => {
    each(
      [
        ['Can I delete the branch?', 'Must I delete the branch?'],
        ['Who may approve it?', 'Who must approve it?'],
        ['Can I deploy on Friday?', 'Should I deploy on Friday?'],
        ['Qui peut approuver ?', 'Qui doit approuver ?'],
        ['Peut-on redémarrer ?', 'Faut-il redémarrer ?'],
      ],
      'negation',
    );
  });

  it('[SC-4] exceptions, limits, and what is so in spite of it', () => {
    each(
      [
        ['all regions including Europe', 'all regions except Europe'],
        ['all regions and Europe', 'all regions but Europe'],
        ['errors and warnings', 'errors or warnings'],
        ['apart from the admins, who has access?', 'like the admins, who has access?'],
        ['use Kafka instead of Redis', 'use Kafka as well as Redis'],
        ['use Kafka rather than Redis', 'use Kafka together with Redis'],
        ['hosts other than gateways', 'hosts such as gateways'],
        ['only admins can deploy', 'admins can deploy'],
        ['almost all the budget is used', 'all the budget is used'],
        ['down because of the network', 'down despite the network'],
        ['Why does Python avoid braces?', 'Why does Python use braces?'],
        ['alert if it is full', 'alert unless it is full'],
        ['prix avec taxes', 'prix hors taxes'],
        ["toutes les régions sauf l'Europe", "toutes les régions et l'Europe"],
        ["seul l'administrateur déploie", "l'administrateur déploie"],
        ['Kafka au lieu de Redis', 'Kafka en plus de Redis'],
        ['à part Tom, qui vient ?', 'avec Tom, qui vient ?'],
        ['déployer si cela passe', 'déployer même si cela passe'],
      ],
      'negation',
    );
  });

  it('[SC-4] when, and whose', () => {
    each(
      [
        ['Who is on call?', 'Who was on call?'],
        ['Who was on call?', 'Who is going to be on call?'],
        ['incidents before the release', 'incidents during the release'],
        ['builds until noon', 'builds from noon'],
        ['the former owner', 'the current owner'],
        ['the next release', 'the latest release'],
        ['What are my open tickets?', 'What are your open tickets?'],
        ['la version actuelle', 'la version précédente'],
        ['Qui est responsable ?', 'Qui était responsable ?'],
        ['Quels sont mes rendez-vous ?', 'Quels sont vos rendez-vous ?'],
      ],
      'negation',
    );
  });

  it('[SC-4] who acts', () => {
    each(
      [
        ['tickets created by Bob', 'tickets created for Bob'],
        ['messages sent by the bot', 'messages sent to the bot'],
        ['tickets créés par Paul', 'tickets créés pour Paul'],
        ['messages envoyés par le robot', 'messages envoyés au robot'],
      ],
      'order',
    );
  });

  it('lets those pass that ask the same', () => {
    each(
      [
        ['What are some facts about NASA?', 'What are the most interesting facts about NASA?'],
        ['What are a few facts about NASA?', 'What are some facts about NASA?'],
        ['How can I improve my English?', 'How do you improve your English?'],
        ['How can I learn it?', 'How should I learn it?'],
        ['How do I avoid a rollback?', 'How do I stop a rollback?'],
        ['Is Iran a part of Asia?', 'Is Iran in Asia?'],
        ['How can I improve by reading?', 'How to improve by reading?'],
      ],
      undefined,
    );
  });
});
