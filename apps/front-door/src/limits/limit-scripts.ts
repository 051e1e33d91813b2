import type { RedisScript } from '@portico/storage';

/**
 * Each front door has a field in a hash of what runs where: its own count, and until when that is to be believed, by
 * Redis' clock in microseconds. A count is said whole, never added to: whatever got lost, the next one sets it right.
 */
const COUNTS = `
local time = redis.call('time')
local now = time[1] * 1000000 + time[2]
local door, believed_ms = ARGV[1], tonumber(ARGV[2])
local function elsewhere(key)
  local sum = 0
  local all = redis.call('hgetall', key)
  for at = 1, #all, 2 do
    if all[at] ~= door then
      local count, till = string.match(all[at + 1], '^(%d+) (%d+)$')
      if count and tonumber(till) > now then sum = sum + tonumber(count) else redis.call('hdel', key, all[at]) end
    end
  end
  return sum
end
local function say(key, count)
  if tonumber(count) == 0 then return redis.call('hdel', key, door) end
  redis.call('hset', key, door, string.format('%s %.0f', count, now + believed_ms * 1000))
  redis.call('pexpire', key, believed_ms)
end
`;

/**
 * Whether one more request of a principal may run: KEYS its bucket, what it runs, what all run; ARGV the door, how long it is
 * believed, microseconds a token, slack in microseconds, limit of each, what it runs here with this one, limit of all, what
 * all run here with this one. A limit of 0 is none. Answers [verdict, milliseconds to wait].
 */
export const ADMIT: RedisScript = {
  name: 'limits-admit',
  lua: `${COUNTS}
local token, slack = tonumber(ARGV[3]), tonumber(ARGV[4])
local each, mine, total, all = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
if each > 0 and elsewhere(KEYS[2]) + mine > each then return { 1, 1000 } end
if total > 0 and elsewhere(KEYS[3]) + all > total then return { 2, 1000 } end
if token > 0 then
  local full = math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now)
  -- A clock that was set back must not make anyone wait for longer than an empty bucket does.
  full = math.min(full, now + slack + token)
  local wait = full - slack - now
  if wait > 0 then return { 3, math.ceil(wait / 1000) } end
  full = full + token
  redis.call('set', KEYS[1], string.format('%.0f', full), 'px', math.ceil((full - now) / 1000))
end
if each > 0 then say(KEYS[2], ARGV[6]) end
if total > 0 then say(KEYS[3], ARGV[8]) end
return { 0, 0 }`,
};

/** Says what runs here: KEYS what all run, then what some principals run; ARGV the door, how long it is believed, and a count for each. */
export const TELL: RedisScript = {
  name: 'limits-tell',
  lua: `${COUNTS}
for at = 1, #KEYS do say(KEYS[at], ARGV[at + 2]) end
return elsewhere(KEYS[1])`,
};
