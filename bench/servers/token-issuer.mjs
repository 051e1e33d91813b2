// An issuer of real tokens, and one token that lives as long as any run.
import { startTokenIssuer } from '../../packages/testkit/dist/token-issuer.js';
import { endOnSigterm } from './listening.mjs';

const issuer = await startTokenIssuer();
const exp = Math.floor(Date.now() / 1000) + 86_400;
const token = await issuer.sign({ sub: 'bench', aud: 'bench', tenant: 'bench', scope: 'portico:call', exp });
endOnSigterm();
console.log(`issuer ${issuer.issuer} ${issuer.jwksUrl} ${token}`);
