import type { RedisScript } from '@portico/storage';

/*
 * A lease is a hash that Redis itself expires: its fields are there, or it has ended. Numbers of this size lose digits when
 * Lua turns them into text by itself, so `text` does. The answer: state, ref, fence, until (ms), agent, task.
 */
const START = `
local function text(number) return string.format('%.0f', number) end
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local kept = redis.call('HMGET', KEYS[1], 'ref', 'fence', 'until', 'agent', 'task', 'proof', 'ttl')
local function answer(state) return { state, kept[1], kept[2], kept[3], kept[4], kept[5] } end
local function last(ends)
  kept[3] = text(ends)
  redis.call('HSET', KEYS[1], 'until', kept[3])
  redis.call('PEXPIREAT', KEYS[1], kept[3])
end
`;

/** Refuses whoever does not show the proof of the lease that is there. */
const OF_ITS_HOLDER = `${START}
if not kept[1] then return { 'free' } end
if kept[6] ~= ARGV[1] then return answer('held') end
`;

/** KEYS: place, fence. ARGV: proof, ref, time to live (ms), agent, task; empty for none. */
export const ACQUIRE: RedisScript = {
  name: 'task.acquire',
  lua: `${START}
if kept[1] then return answer('held') end
local fence = text(math.max((tonumber(redis.call('GET', KEYS[2])) or 0) + 1, micros))
redis.call('SET', KEYS[2], fence)
kept = { ARGV[2], fence, '', ARGV[4], ARGV[5], ARGV[1], ARGV[3] }
redis.call('HSET', KEYS[1], 'ref', kept[1], 'fence', kept[2], 'agent', kept[4], 'task', kept[5], 'proof', kept[6], 'ttl', kept[7])
last(now + ARGV[3])
return answer('live')
`,
};

/** KEYS: place. ARGV: proof, milliseconds that it must last; empty for the lease's own time. */
export const RENEW: RedisScript = {
  name: 'task.renew',
  lua: `${OF_ITS_HOLDER}
local keep = ARGV[2]
if keep == '' then keep = kept[7] end
last(math.max(tonumber(kept[3]), now + keep))
return answer('live')
`,
};

/** KEYS: place. ARGV: proof. */
export const RELEASE: RedisScript = {
  name: 'task.release',
  lua: `${OF_ITS_HOLDER}
redis.call('DEL', KEYS[1])
kept[3] = text(now)
return answer('live')
`,
};

/** KEYS: place. */
export const FIND: RedisScript = {
  name: 'task.find',
  lua: `${START}
if not kept[1] then return { 'free' } end
return answer('held')
`,
};
