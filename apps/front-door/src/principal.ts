import type { Principal } from '@portico/contracts';

/** Who every caller is while the perimeter is trusted to have authenticated them (`AUTH_MODE=none`). */
export const LOCAL_PRINCIPAL: Principal = { tenant: 'default', subject: 'local', scopes: ['*'] };
