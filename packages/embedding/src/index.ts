export type { Embedded, EmbeddedWord, Embedder } from './embedder.js';
export { DIMENSIONS, WINDOW } from './embedder.js';
