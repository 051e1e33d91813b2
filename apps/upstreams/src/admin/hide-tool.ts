import type { ServerChange } from '@portico/contracts';
import type { AdminParts } from './admin-parts.js';
import { changed, refuse, serverNamed } from './change-reply.js';
import { edit } from './edit-server.js';
import { statusOf } from './server-state.js';

/** What the server publishes is asked for so long, in milliseconds; a tool of one that is out of reach can be hidden too. */
const ASK_MS = 3_000;
const NAME_LIMIT = 256;
const HIDDEN_LIMIT = 1_000;

/** Hides one tool, or shows it again. Refuses a tool that the server is known not to have. */
export const hide = (parts: AdminParts, name: string, tool: string, hidden: boolean): Promise<ServerChange> =>
  changed(parts, name, () =>
    edit(parts, name, async ({ hiddenTools = [] }) => {
      if (tool === '' || tool.length > NAME_LIMIT)
        refuse('INVALID_FIELD', 'tool', `"tool" takes a name of 1 to ${NAME_LIMIT} characters`);
      const { entry } = serverNamed(parts, name);
      const isHidden = hiddenTools.includes(tool);
      if (isHidden === hidden && isHidden) return {};
      if (!isHidden) {
        const status = entry.enabled ? await statusOf(parts.bus, entry.name, 'connect', ASK_MS) : undefined;
        const known = status?.tools?.includes(tool);
        if (known === false || (known === undefined && !hidden))
          refuse('UNKNOWN_TOOL', 'tool', `the server "${entry.name}" has no tool ${JSON.stringify(tool.slice(0, 64))}`);
        if (!hidden) return {};
        if (hiddenTools.length >= HIDDEN_LIMIT)
          refuse('INVALID_FIELD', 'tool', `a server takes at most ${HIDDEN_LIMIT} hidden tools`);
        return { hiddenTools: [...hiddenTools, tool] };
      }
      return { hiddenTools: hiddenTools.filter((one) => one !== tool) };
    }),
  );
