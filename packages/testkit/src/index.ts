export { startConformanceFixture } from './conformance-fixture/conformance-fixture.js';
export type { ConformanceFixture } from './conformance-fixture/conformance-fixture.js';
