import { connect } from '@nats-io/transport-node';
import { Pool } from 'undici';
import { callHeaders } from '../message.mjs';
import { endOnSigterm } from './listening.mjs';

// The other half of the thin proxy over NATS. It reads the request for the tool's name, and relays the answer unread.

const [natsUrl, upstreamUrl] = process.argv.slice(2);
const upstream = new URL(upstreamUrl);
const pool = new Pool(upstream.origin);
const nats = await connect({ servers: natsUrl });

/** @param {import('@nats-io/transport-node').Msg} request */
const call = async (request) => {
  const body = request.string();
  const answer = await pool.request({
    path: upstream.pathname,
    method: 'POST',
    headers: callHeaders(JSON.parse(body).params.name, ''),
    body,
  });
  request.respond(await answer.body.text());
};

nats.subscribe('bench.thin', {
  queue: 'workers',
  callback: (error, request) => {
    if (error === null) call(request).catch(() => request.respond('{}'));
  },
});
await nats.flush();
endOnSigterm();
console.log('ready');
