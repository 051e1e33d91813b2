import type { ToolPolicy } from '@portico/contracts';
import type { ConfiguredServer } from './configured-server.js';

const READ: ToolPolicy = { effect: 'read' };
const WRITE: ToolPolicy = { effect: 'write' };
const DESTRUCTIVE: ToolPolicy = { effect: 'destructive' };

/** Nobody but its tools changes the memory. Its search compares letters, so that no other query has the same answer. */
const REMEMBERED: ToolPolicy = { effect: 'read', staleness: 'cached', cache: {} };
const invalidates = ['memory.read_*', 'memory.search_*', 'memory.open_*'];

/**
 * What the tools of the built-in servers do, read in their documentation and in their code: unlike the word of a server
 * that somebody configured, it ships with the very version that it speaks of. The operator's policy file comes before it.
 */
const SHIPPED: Readonly<Record<string, ReadonlyMap<string, ToolPolicy>>> = {
  // Others change files too: what was read of them is never kept.
  files: new Map([
    ['read_file', READ],
    ['read_text_file', READ],
    ['read_media_file', READ],
    ['read_multiple_files', READ],
    ['list_directory', READ],
    ['list_directory_with_sizes', READ],
    ['directory_tree', READ],
    ['search_files', READ],
    ['get_file_info', READ],
    ['list_allowed_directories', READ],
    ['create_directory', WRITE],
    ['write_file', DESTRUCTIVE],
    ['edit_file', DESTRUCTIVE],
    ['move_file', DESTRUCTIVE],
  ]),
  memory: new Map([
    ['read_graph', REMEMBERED],
    ['search_nodes', REMEMBERED],
    ['open_nodes', REMEMBERED],
    ['create_entities', { ...WRITE, invalidates }],
    ['create_relations', { ...WRITE, invalidates }],
    ['add_observations', { ...WRITE, invalidates }],
    ['delete_entities', { ...DESTRUCTIVE, invalidates }],
    ['delete_observations', { ...DESTRUCTIVE, invalidates }],
    ['delete_relations', { ...DESTRUCTIVE, invalidates }],
  ]),
};

/** The policy announced with a server's tool. Whatever the server hints at, its tools are taken to write: its word is not trusted. */
export const announcedPolicy = ({ source, entry }: ConfiguredServer, tool: string): ToolPolicy =>
  (source === 'builtin' ? SHIPPED[entry.name]?.get(tool) : undefined) ?? WRITE;
