import { CLIENT_TOOLS } from './client-tools.js';
import { CONTENT_TOOLS } from './content-tools.js';
import type { FixtureTool } from './fixture-item.js';
import { INPUT_REQUIRED_TOOLS } from './input-required-tools.js';
import { RUNNING_TOOLS } from './running-tools.js';

const ALL: readonly FixtureTool[] = [...CONTENT_TOOLS, ...RUNNING_TOOLS, ...CLIENT_TOOLS, ...INPUT_REQUIRED_TOOLS];

/** Every tool that the conformance suite calls by name, in the order they are listed: by name. */
export const TOOLS: readonly FixtureTool[] = [...ALL].sort((a, b) => (a.name < b.name ? -1 : 1));
