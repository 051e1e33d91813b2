import { parentPort, workerData } from 'node:worker_threads';

/**
 * The model in a thread of its own, because loading and running it block the loop that they run on. A message is a batch, and is
 * answered by one with the model's vectors, or with what went wrong; 'end' ends it. This file is plain JavaScript since a thread
 * runs what it is given, in tests too.
 *
 * @typedef {{ texts: readonly (readonly number[])[], width: number }} Batch each text's ids, `width` at most
 * @type {{ model: Uint8Array, threads: number }}
 */
const { model, threads } = workerData;
// Before the runtime is loaded: it would tell its maker of its use, and keep an id of this machine in the user's home.
process.env['ORT_DISABLE_TELEMETRY'] = '1';
const { InferenceSession, Tensor } = await import('onnxruntime-node');
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const OUTPUT = 'last_hidden_state';

const session = await InferenceSession.create(model, {
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
});

port.on('message', (/** @type {Batch | 'end'} */ message) => {
  if (message === 'end') void session.release().finally(() => port.close());
  else run(message).catch((error) => port.postMessage({ error: String(error) }));
});
port.postMessage('ready');

/** @param {Batch} batch */
async function run({ texts, width }) {
  const ids = new BigInt64Array(texts.length * width);
  const mask = new BigInt64Array(ids.length);
  texts.forEach((text, row) => {
    text.forEach((id, column) => {
      ids[row * width + column] = BigInt(id);
      mask[row * width + column] = 1n;
    });
  });
  const int64 = (/** @type {BigInt64Array} */ data) => new Tensor('int64', data, [texts.length, width]);
  const { [OUTPUT]: output } = await session.run(
    { input_ids: int64(ids), attention_mask: int64(mask), token_type_ids: int64(new BigInt64Array(ids.length)) },
    [OUTPUT],
  );
  const states = Float32Array.from(/** @type {Float32Array} */ (output?.data));
  port.postMessage({ states }, [states.buffer]);
}
