import { describe, expect, it } from '@jest/globals';
import { clientScenarios } from './scenario-list.js';

const LISTING = `Server scenarios (test against a server):
  - ping [2025-06-18]

Client scenarios (test against a client):
  - initialize [2025-06-18,2025-11-25]
  - auth/iss-unexpected [2026-07-28]
  - sep-2640-client-no-prefetch [extension]
  - tools_call [2026-07-28]

Authorization server scenarios (test against an authorization server):
  - authorization-code-grant [2026-07-28]
`;

describe('clientScenarios', () => {
  it('takes the client side without OAuth and extensions', () => {
    expect(clientScenarios(LISTING)).toEqual([
      { name: 'initialize', revisions: ['2025-06-18', '2025-11-25'] },
      { name: 'tools_call', revisions: ['2026-07-28'] },
    ]);
  });

  it('finds nothing in a listing without a client side', () => {
    expect(clientScenarios('Server scenarios:\n  - ping [2025-06-18]\n')).toEqual([]);
  });
});
