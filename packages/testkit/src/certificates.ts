import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** Readable for whom a server runs as. */
  readonly folder: string;
  readonly ca: string;
  /** A CA that has signed nothing here. */
  readonly otherCa: string;
  /** Of a server on 127.0.0.1. */
  readonly cert: string;
  readonly key: string;
  remove(): void;
}

/** Makes a CA, another one, and a server's certificate by the first, with openssl. */
export const makeCertificates = (): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-certificates-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  for (const name of ['ca', 'other'])
    openssl('req', '-x509', ...curve, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`);
  openssl('req', ...curve.slice(0, 5), '-subj', '/CN=server', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1\n');
  const sign = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...sign);
  chmodSync(folder, 0o755);
  chmodSync(at('server.key'), 0o644);
  return {
    folder,
    ca: at('ca.pem'),
    otherCa: at('other.pem'),
    cert: at('server.pem'),
    key: at('server.key'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
