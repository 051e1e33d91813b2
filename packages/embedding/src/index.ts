export type { Embedded, EmbeddedWord, Embedder } from './embedder.js';
export { DIMENSIONS, WINDOW } from './embedder.js';
export { readFingerprint } from './model-files.js';
export { openEmbedder } from './open-embedder.js';
export type { EmbedderOptions } from './open-embedder.js';
