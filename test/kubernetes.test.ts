import { describe } from '@jest/globals';
import { describeArrowSources, describeArrows } from './describe-arrows.js';
import { SERVICES, describeWorkloads } from './describe-workloads.js';
import { readOverlay } from './kubernetes-resources.js';

describeWorkloads('infra/k8s/overlays/production, as written', SERVICES, () => readOverlay('production'));
describeArrows('the policies of production, as written', SERVICES, () => readOverlay('production'));
describeWorkloads('infra/k8s/overlays/embedded, as written', ['portico'], () => readOverlay('embedded'));
describeArrows('the policies of embedded, as written', ['portico'], () => readOverlay('embedded'));
describe('what arrows are taken from', describeArrowSources);
