import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WatchedFile } from './watched-file.js';

let folder: string;
let watched: WatchedFile | undefined;
let told: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-watched-'));
  told = 0;
});
afterEach(() => {
  watched?.close();
  rmSync(folder, { recursive: true });
});

const watch = (path: string): void => {
  watched = new WatchedFile(path, () => void (told += 1));
};
const news = async (): Promise<void> => {
  for (const end = performance.now() + 15_000; told === 0; await delay(10))
    if (performance.now() > end) throw new Error('no word came');
  // What belongs to the same change is told with it.
  await delay(250);
  told = 0;
};

describe('a watched file', () => {
  it('tells when it is written, replaced, deleted and made again', async () => {
    const path = join(folder, 'file');
    watch(path);
    writeFileSync(path, 'a');
    await news();
    writeFileSync(join(folder, 'next'), 'b');
    renameSync(join(folder, 'next'), path);
    await news();
    unlinkSync(path);
    await news();
    writeFileSync(path, 'c');
    await news();
  });

  it('tells of what a link elsewhere leads to, and of a folder that comes later', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere', 'file'), 'a');
    const path = join(folder, 'later', 'link');
    watch(path);
    mkdirSync(join(folder, 'later'));
    symlinkSync(join(folder, 'elsewhere', 'file'), path);
    await news();
    writeFileSync(join(folder, 'elsewhere', 'file'), 'changed');
    await news();
  });

  it('tells nothing while nothing changes, and of one change no more than twice', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'a');
    // The folder may still tell of that.
    await delay(50);
    watch(path);
    await delay(1_500);
    expect(told).toBe(0);
    writeFileSync(path, 'b');
    await delay(1_500);
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThanOrEqual(2);
  });

  it('tells nothing once it is closed', async () => {
    const path = join(folder, 'file');
    watch(path);
    writeFileSync(path, 'a');
    watched!.close();
    await delay(1_500);
    expect(told).toBe(0);
  });
});
