import { describe, expect, it } from '@jest/globals';
import { normalisedName } from './server-name.js';

describe('[UP-1] the name that a server is published under', () => {
  it.each([
    ['Files', 'files'],
    ['My Files', 'my-files'],
    ['my_files.v2', 'my-files-v2'],
    ['ÄÖ', '--'],
    ['a-1', 'a-1'],
    ['😀', '-'],
  ])('of %j is %j', (spelled, name) => expect(normalisedName(spelled)).toBe(name));
});
