/** What the conformance command needs: apart from the test helpers, which load only inside jest. */
export { startConformanceFixture } from './conformance-fixture/conformance-fixture.js';
export type { ConformanceFixture } from './conformance-fixture/conformance-fixture.js';
export { judgeAgainstBaseline, judgeRequirements, judgeScenarios } from './conformance/judge.js';
export { clientScenarios } from './conformance/scenario-list.js';
export { scenarioTable } from './conformance/scenario-table.js';
export { Suite } from './conformance/suite.js';
export type { SuiteRun } from './conformance/suite.js';
