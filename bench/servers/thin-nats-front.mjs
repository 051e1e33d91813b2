import { connect } from '@nats-io/transport-node';
import { PREFIX } from '../message.mjs';
import { answerJson, listen } from './listening.mjs';

// The thin proxy cut in two by NATS. This half speaks HTTP to callers and does the rewriting; `thin-nats-worker` calls.

const nats = await connect({ servers: process.argv[2] });

/** @param {string} body @param {import('node:http').ServerResponse} response */
const forward = async (body, response) => {
  const message = JSON.parse(body);
  message.params.name = message.params.name.slice(PREFIX.length);
  const answer = await nats.request('bench.thin', JSON.stringify(message), { timeout: 30_000 });
  const reply = JSON.parse(answer.string());
  reply.result._meta = { ...reply.result._meta, 'thin-proxy/seen': true };
  answerJson(response, JSON.stringify(reply));
};

listen((body, _request, response) => {
  forward(body, response).catch(() => response.writeHead(502).end());
});
