import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

const least = { PLANE_URL: 'https://api.plane.so', PLANE_WORKSPACE: 'acme', PLANE_GIT_REPOSITORY: 'acme/plans' };

describe('[AD-10] the settings of plane', () => {
  it('are none without PLANE_URL, and else have these defaults', () => {
    expect(readConfig({ PLANE_WORKSPACE: 'acme' })).toBeUndefined();
    expect(readConfig(least)).toMatchObject({
      url: 'https://api.plane.so',
      workspace: 'acme',
      token: undefined,
      writes: {
        mode: 'dual',
        git: {
          apiUrl: 'https://api.github.com',
          repository: ['acme', 'plans'],
          branch: 'plane',
          path: '.plane/{project}.json',
        },
      },
    });
  });

  it('need no repository where git is not written, and have none', () => {
    const { PLANE_GIT_REPOSITORY: _none, ...api } = { ...least, PLANE_WRITE_MODE: 'api' };
    expect(readConfig(api)?.writes).toEqual({ mode: 'api' });
  });

  it('take credentials by file', () => {
    const files = { ...least, PLANE_TOKEN_FILE: '/run/secrets/plane', PLANE_GIT_TOKEN_FILE: '/run/secrets/git' };
    expect(readConfig(files)).toMatchObject({
      token: { file: '/run/secrets/plane' },
      writes: { git: { token: { file: '/run/secrets/git' } } },
    });
  });

  it.each([
    ['PLANE_URL', 'http://plane.example.com'],
    ['PLANE_URL', 'plane'],
    ['PLANE_WORKSPACE', ''],
    ['PLANE_WORKSPACE', 'a/b'],
    ['PLANE_WRITE_MODE', 'both'],
    ['PLANE_GIT_REPOSITORY', ''],
    ['PLANE_GIT_REPOSITORY', 'acme'],
    ['PLANE_GIT_REPOSITORY', 'acme/..'],
    ['PLANE_GIT_REPOSITORY', 'acme/plans/more'],
    ['PLANE_GIT_API_URL', 'http://git.example.com'],
    ['PLANE_GIT_BRANCH', '../main'],
    ['PLANE_GIT_BRANCH', 'a b'],
    ['PLANE_GIT_BRANCH', '-f'],
    ['PLANE_GIT_BRANCH', 'plane.lock'],
    ['PLANE_DECLARED_PATH', '../{project}.json'],
    ['PLANE_DECLARED_PATH', '/plane/{project}.json'],
    ['PLANE_DECLARED_PATH', 'plane//{project}.json'],
    ['PLANE_DECLARED_PATH', 'plane/%2e%2e/x.json'],
    ['PLANE_DECLARED_PATH', 'plane/{item}.json'],
  ])('refuse %s=%j with one sentence that names it', (name, value) => {
    expect(() => readConfig({ ...least, [name]: value })).toThrow(new RegExp(`${name}.*\\.$`));
  });
});
