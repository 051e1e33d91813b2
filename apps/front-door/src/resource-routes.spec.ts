import { describe, expect, it } from '@jest/globals';
import { NO_POLICY } from '../test/no-policy.js';
import { EVERYTHING } from './policy/policy.js';
import { knownSource } from '../test/known-source.js';
import { publishCatalogue } from './published-catalogue.js';

const resource = (uri: string, more: object = {}) => ({ uri, name: uri, ...more });
const template = (uriTemplate: string, more: object = {}) => ({ uriTemplate, name: uriTemplate, ...more });
const publish = (...sources: Parameters<typeof publishCatalogue>[0]) =>
  publishCatalogue(sources, { toolNames: 'dotted', policy: NO_POLICY, contextInSchemas: false });
const uris = (catalogue: ReturnType<typeof publish>) =>
  (JSON.parse(catalogue.listJson('resources/list', 'modern', EVERYTHING)) as { uri: string }[]).map(({ uri }) => uri);
const templates = (catalogue: ReturnType<typeof publish>) =>
  (JSON.parse(catalogue.listJson('resources/templates/list', 'modern', EVERYTHING)) as { uriTemplate: string }[]).map(
    (item) => item.uriTemplate,
  );

describe('[FD-31] resources', () => {
  const a = knownSource('upstream.a', { resources: [resource('file:///same'), resource('file:///a')] });
  const b = knownSource('upstream.b', { resources: [resource('file:///same'), resource('file:///b')] });
  const c = knownSource('domain.c', { resources: [resource('file:///same')] });

  it('keep their URI; of several with one URI the first domain by name keeps it', () => {
    const catalogue = publish(c, b, a);
    expect(uris(catalogue)).toEqual(['file:///same', 'file:///a', 'b+file:///same', 'file:///b', 'c+file:///same']);
    expect(catalogue.resolveResource('file:///same')).toEqual({
      domain: 'a',
      address: 'upstream.a',
      callTimeoutMs: 30_000,
      fullName: 'a.file:///same',
      effect: 'read',
      uri: 'file:///same',
    });
    expect(catalogue.resolveResource('b+file:///same')).toMatchObject({ address: 'upstream.b', uri: 'file:///same' });
    expect(catalogue.resolveResource('c+file:///same')).toMatchObject({ address: 'domain.c', uri: 'file:///same' });
    expect(catalogue.resolveResource('file:///nobody')).toBeUndefined();
    expect(catalogue.resolveResource('a+file:///same')).toBeUndefined();
    expect(catalogue.resolveResource('__proto__')).toBeUndefined();
  });

  it('are known by one URI outside, whichever way one looks', () => {
    const catalogue = publish(a, b, c);
    expect(catalogue.publishedUri('upstream.a', 'file:///same')).toBe('file:///same');
    expect(catalogue.publishedUri('upstream.b', 'file:///same')).toBe('b+file:///same');
    expect(catalogue.publishedUri('upstream.b', 'file:///b')).toBe('file:///b');
  });

  it('pass with metadata, annotations and unknown keys exact', () => {
    const more = {
      title: 'T',
      description: 'd',
      mimeType: 'text/plain',
      size: 7,
      annotations: { audience: ['user'], priority: 0.5, 'x-more': 1 },
      _meta: { 'a/b': [1] },
      'x-unknown': {},
    };
    const [shown] = JSON.parse(
      publish(knownSource('upstream.a', { resources: [resource('x://y', more)] })).listJson(
        'resources/list',
        'legacy',
        EVERYTHING,
      ),
    ) as unknown[];
    expect(shown).toEqual(resource('x://y', more));
  });

  it('of a hostile domain do not take the URI made for another', () => {
    const evil = knownSource('upstream.a', { resources: [resource('b+file:///same'), resource('file:///same')] });
    const catalogue = publish(evil, b);
    expect(uris(catalogue)).toEqual(['a+b+file:///same', 'file:///same', 'b+file:///same', 'file:///b']);
    expect(catalogue.resolveResource('b+file:///same')).toMatchObject({ address: 'upstream.b' });
    expect(catalogue.resolveResource('a+b+file:///same')).toMatchObject({
      address: 'upstream.a',
      uri: 'b+file:///same',
    });
  });

  it('listed twice by one source are published once', () => {
    const catalogue = publish(
      knownSource('upstream.a', { resources: [resource('x://y', { title: '1' }), resource('x://y', { title: '2' })] }),
    );
    expect(uris(catalogue)).toEqual(['x://y']);
    expect(catalogue.leftOut).toMatchObject([{ kind: 'resource', name: 'x://y' }]);
  });
});

describe('[FD-31] templates', () => {
  const a = knownSource('upstream.a', { resourceTemplates: [template('file:///{+path}'), template('a://{id}')] });
  const b = knownSource('upstream.b', {
    resources: [resource('file:///listed')],
    resourceTemplates: [template('file:///{+path}'), template('b://{id}')],
  });

  it('are matched after the listed URIs, in the order of domains', () => {
    const catalogue = publish(b, a);
    expect(templates(catalogue)).toEqual(['file:///{+path}', 'a://{id}', 'b+file:///{+path}', 'b://{id}']);
    expect(catalogue.resolveResource('file:///listed')).toMatchObject({ address: 'upstream.b' });
    expect(catalogue.resolveResource('file:///x/y')).toMatchObject({ address: 'upstream.a', uri: 'file:///x/y' });
    expect(catalogue.resolveResource('b+file:///x/y')).toMatchObject({ address: 'upstream.b', uri: 'file:///x/y' });
    expect(catalogue.resolveResource('b://7')).toMatchObject({ address: 'upstream.b', uri: 'b://7' });
    expect(catalogue.resolveResource('b://7/8')).toBeUndefined();
    expect(catalogue.publishedUri('upstream.b', 'file:///x')).toBe('b+file:///x');
  });

  it('are found for completion by their published name, at their source by their own', () => {
    const catalogue = publish(a, b);
    expect(catalogue.resolveTemplate('b+file:///{+path}')).toMatchObject({
      address: 'upstream.b',
      uri: 'file:///{+path}',
    });
    expect(catalogue.resolveTemplate('file:///{+path}')).toMatchObject({
      address: 'upstream.a',
      uri: 'file:///{+path}',
    });
    expect(catalogue.resolveTemplate('file:///listed')).toMatchObject({ address: 'upstream.b' });
    expect(catalogue.resolveTemplate('z://{x}')).toBeUndefined();
  });

  it('that cannot be routed are left out and reported, the others stay', () => {
    const catalogue = publish(
      knownSource('upstream.a', {
        resourceTemplates: [template('x://{'), template(`x://${'y'.repeat(2_000)}{z}`), template('ok://{z}')],
      }),
    );
    expect(templates(catalogue)).toEqual(['ok://{z}']);
    expect(catalogue.leftOut.map(({ kind }) => kind)).toEqual(['template', 'template']);
  });

  it('of a hostile source in their thousands slow no read by much', () => {
    const many = Array.from({ length: 5_000 }, (_unused, index) => template(`x://${'{+a}'.repeat(8)}${index}`));
    const catalogue = publish(knownSource('upstream.a', { resourceTemplates: many }));
    const startedAt = performance.now();
    catalogue.resolveResource(`x://${'a'.repeat(2_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(templates(catalogue)).toHaveLength(200);
  });
});
