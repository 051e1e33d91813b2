import type { StorageLog } from './storage-log.js';
export const openDatabase = async (_url: string, _o: { log?: StorageLog; name?: string }): Promise<never> => {
  throw new Error('not yet');
};
