import { describe, expect, it } from '@jest/globals';
import { splitCommand } from './command-line.js';

describe('[AD-5] splitCommand', () => {
  it.each([
    ['kubernetes-mcp-server --read-only', ['kubernetes-mcp-server', '--read-only']],
    ['  a\t b\n c ', ['a', 'b', 'c']],
    [`"/opt/my tools/k" --kubeconfig '/home/a b/config'`, ['/opt/my tools/k', '--kubeconfig', '/home/a b/config']],
    [`a\\ b "c\\"d\\\\e\\f" 'g\\h'`, ['a b', 'c"d\\e\\f', 'g\\h']],
    [`--x='1 2'"3"4`, ['--x=1 234']],
    [`'' ""`, ['', '']],
    ['$HOME `id` $(id) ; rm *', ['$HOME', '`id`', '$(id)', ';', 'rm', '*']],
    ['', []],
  ])('splits %j', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each([`a 'b`, 'a "b', 'a "b\\"', 'a\\'])('refuses %j', (line) => {
    expect(() => splitCommand(line)).toThrow('quote that is not closed');
  });
});
