import { Pool } from 'undici';
import { HANGING, callBody, callHeaders } from '../message.mjs';
import { endOnSigterm } from './listening.mjs';

// 256 callers, without end, of a domain that hangs for its whole deadline: what is turned away comes again after 2 s.

const CALLERS = 256;
const PAUSE_MS = 2_000;

const [url = ''] = process.argv.slice(2);
const { origin, pathname: path } = new URL(url);
const tool = `${HANGING.domain}.${HANGING.tool}`;
const headers = callHeaders(tool, url);
const pool = new Pool(origin, { connections: CALLERS, pipelining: 1 });
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
let turnedAway = 0;

/** @param {number} id */
const insist = async (id) => {
  for (await pause((id * PAUSE_MS) / CALLERS); ; await pause(PAUSE_MS)) {
    const { body } = await pool.request({ path, method: 'POST', headers, body: callBody(tool, id) });
    if ((await body.text()).includes('RATE_LIMITED') && ++turnedAway === 1) console.log('the domain is full');
  }
};

endOnSigterm();
await Promise.all(Array.from({ length: CALLERS }, (_, id) => insist(id)));
