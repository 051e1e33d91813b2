import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const WELCOME = `# Workspace

This folder is what the tools \`files.*\` can see: put here whatever an agent should read, and find here what it wrote.
Nothing outside of it is reachable through them.
`;

/** Makes the workspace folder when there is none, with a welcome file in it. Leaves one that exists as it is. */
export async function openWorkspace(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made !== undefined) await writeFile(join(folder, 'welcome.md'), WELCOME, { flag: 'wx' });
}
