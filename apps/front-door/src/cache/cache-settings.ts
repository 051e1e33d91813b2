import { type SettingsOf, setting } from '@portico/settings';

export const cacheSettings = {
  SEMANTIC_CACHE: setting.oneOf(['on', 'off'], {
    default: 'on',
    meaning: 'off takes the response cache out of the path of calls',
  }),
  SEMANTIC_THRESHOLD: setting.number({
    default: 0.95,
    min: 0,
    max: 1,
    meaning: 'least score of a kept answer that is given for a similar question; a tool’s policy comes first',
  }),
  SEMANTIC_CACHE_TTL_SECS: setting.seconds({
    default: 300,
    meaning: 'how long an answer is kept; a tool’s policy comes first; 0: not at all',
  }),
  CACHE_BUDGET_MS: setting.integer({
    default: 50,
    min: 1,
    meaning: 'milliseconds that a call waits for the cache at most',
  }),
  CACHE_SHADOW_SHARE: setting.number({
    default: 0.01,
    min: 0,
    max: 1,
    meaning: 'share of similar answers that are checked behind the answer by running the tool',
  }),
};

export interface CacheConfig {
  readonly on: boolean;
  readonly threshold: number;
  readonly ttlSeconds: number;
  readonly budgetMs: number;
  readonly shadowShare: number;
}

export const readCache = (read: SettingsOf<typeof cacheSettings>): CacheConfig => ({
  on: read.SEMANTIC_CACHE === 'on',
  threshold: read.SEMANTIC_THRESHOLD,
  ttlSeconds: read.SEMANTIC_CACHE_TTL_SECS,
  budgetMs: read.CACHE_BUDGET_MS,
  shadowShare: read.CACHE_SHADOW_SHARE,
});
