import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps servers, whether or not a user's PATH says so. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** A real server that a suite needs and a machine may not have. */
export type Tool = 'nats-server';

/** Full path of an installed tool; `undefined` when it is not on this machine. */
export const toolPath = (tool: Tool): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, tool))
    .find(isExecutable);

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
