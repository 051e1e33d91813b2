import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { DispatcherClient } from '../client.js';
import { RunId } from './arguments.js';

const MOST_ARTIFACTS = 200;

export const listArtifacts = (dispatcher: DispatcherClient) =>
  defineTool({
    name: 'list_artifacts',
    description: `What a run left: name, size, SHA-256 and when it expires; not the content. At most ${MOST_ARTIFACTS} are shown, by name; from shows those that follow. A run may leave more until it is completed.`,
    input: z.object({
      run_id: RunId,
      from: z.int().min(0).max(1_000_000).default(0).describe('artifact that the list begins with, from 0'),
    }),
    effect: 'read',
    staleness: 'stale',
    async handle({ run_id, from }, scope) {
      const { data } = await dispatcher.artifacts(run_id, scope);
      const byName = data.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      const shown = byName.slice(from, from + MOST_ARTIFACTS);
      const next = from + shown.length;
      return {
        artifacts: shown.map((artifact) => ({
          name: artifact.name,
          size_bytes: artifact.size_bytes,
          sha256: given(artifact.sha256),
          content_type: given(artifact.content_type),
          created_at: given(artifact.created_at),
          expires_at: given(artifact.expires_at),
        })),
        total: data.length,
        next_from: next < data.length ? next : undefined,
      };
    },
  });
