import { describe, expect, it } from '@jest/globals';
import { uriTemplate } from './uri-template.js';

describe('[AD-1][FD-31] uriTemplate', () => {
  it.each([
    ['demo://all', 'demo://all', {}],
    ['demo://runs/{id}', 'demo://runs/7', { id: '7' }],
    ['demo://runs/{id}/log', 'demo://runs/a%20b%2Fc/log', { id: 'a b/c' }],
    ['demo://{a}-{b}.json', 'demo://x-y-z.json', { a: 'x', b: 'y-z' }],
    ['demo://{a}.json', 'demo://x.json.json', { a: 'x.json' }],
    ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
    ['demo://runs{/id}', 'demo://runs/7', { id: '7' }],
    ['demo://runs/{id}{?tail,step}', 'demo://runs/7?step=a%26b&tail=10', { id: '7', tail: '10', step: 'a&b' }],
    ['demo://runs/{id}{?tail}', 'demo://runs/7', { id: '7' }],
  ])('%s matches %s', (template, uri, variables) => {
    expect(uriTemplate(template).match(uri)).toEqual(variables);
  });

  it.each([
    ['demo://all', 'demo://all/'],
    ['demo://runs/{id}', 'demo://runs/'],
    ['demo://runs/{id}', 'demo://runs/a/b'],
    ['demo://runs/{id}', 'demo://runs/a?b'],
    ['demo://runs/{id}', 'demo://runs/%'],
    ['demo://runs/{id}', 'demo://runs/%ff'],
    ['demo://runs/{id}', 'demo://runs/é'],
    ['demo://runs/{id}', `demo://runs/${'a'.repeat(3_000)}`],
    ['demo://runs/{id}/log', 'demo://runs/log'],
    ['demo://runs/{id}{?tail}', 'demo://runs/7?head=1'],
    ['demo://runs/{id}{?tail}', 'demo://runs/7?tail=1&tail=2'],
    ['demo://runs/{id}{?id2}', 'demo://runs/7?id=8'],
  ])('%s does not match %s', (template, uri) => {
    expect(uriTemplate(template).match(uri)).toBeUndefined();
  });

  it('names its variables', () => {
    expect(uriTemplate('demo://{a}/{b}{?c,d}').variables).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    ['demo://{id', /brace/],
    ['demo://{}', /not matched here/],
    ['demo://{#id}', /not matched here/],
    ['demo://{id:3}', /not matched here/],
    ['demo://{id*}', /not matched here/],
    ['demo://{a,b}', /list/],
    ['demo://{a}{b}', /nothing between/],
    ['demo://x{?a}/y', /before its end/],
    ['demo://{a}/{a}', /twice/],
    ['runs/{id}', /scheme/],
  ])('refuses %s', (template, sentence) => {
    expect(() => uriTemplate(template)).toThrow(sentence);
  });
});
