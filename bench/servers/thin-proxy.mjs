import { Pool } from 'undici';
import { PREFIX, callHeaders } from '../message.mjs';
import { answerJson, listen } from './listening.mjs';

// The least a gateway can be: both bodies parsed, the tool renamed, a `_meta` key added. No checks, no deadlines.

const upstream = new URL(process.argv[2]);
const pool = new Pool(upstream.origin);

/** @param {string} body @param {import('node:http').ServerResponse} response */
const forward = async (body, response) => {
  const message = JSON.parse(body);
  message.params.name = message.params.name.slice(PREFIX.length);
  const answer = await pool.request({
    path: upstream.pathname,
    method: 'POST',
    headers: callHeaders(message.params.name, ''),
    body: JSON.stringify(message),
  });
  const reply = JSON.parse(await answer.body.text());
  reply.result._meta = { ...reply.result._meta, 'thin-proxy/seen': true };
  answerJson(response, JSON.stringify(reply), answer.statusCode);
};

listen((body, _request, response) => {
  forward(body, response).catch(() => response.writeHead(502).end());
});
