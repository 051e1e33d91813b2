import { sourceName } from '@portico/contracts';
import { z } from 'zod';
import type { GatewayView } from './gateway-view.js';

/** `gateway.health` takes no arguments. */
export const HealthArguments = z.strictObject({});

/** What discovery knows of each domain's health, and the gateway, which answers this and so is up. */
export const health = async (view: GatewayView): Promise<{ domains: Record<string, unknown>[] }> => {
  const domains = (await view.health()).map(({ source, state, breaker, lastError, checkedAt, catalogueAgeMs }) => ({
    name: sourceName(source),
    state,
    breaker,
    ...(lastError !== undefined && { last_error: lastError }),
    ...(checkedAt !== undefined && { checked_at: checkedAt }),
    ...(catalogueAgeMs !== undefined && { catalogue_age_ms: catalogueAgeMs }),
  }));
  if (!domains.some(({ name }) => name === 'gateway'))
    domains.push({ name: 'gateway', state: 'up', breaker: 'closed' });
  return { domains: domains.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)) };
};
