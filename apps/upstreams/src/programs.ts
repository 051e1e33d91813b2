import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** Where a process looks that is given no PATH. */
const USUAL_PATH = '/usr/bin:/bin';

export interface Looking {
  /** The PATH that it is started with. */
  readonly path: string | undefined;
  /** The folder that it is started in; absolute. */
  readonly cwd: string;
}

/** Whether a program is there to be started, by the rules that starting it goes by. */
export async function isProgram(command: string, { path = USUAL_PATH, cwd }: Looking): Promise<boolean> {
  if (command.includes('/')) return isExecutable(resolve(cwd, command));
  for (const folder of path.split(delimiter)) if (await isExecutable(join(resolve(cwd, folder), command))) return true;
  return false;
}

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};
