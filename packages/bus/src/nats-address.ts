/** Where NATS is, and how to sign in there. */
export interface NatsAddress {
  readonly servers: string[];
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** A file of the certificates that the server's has to be signed by; the system's unless given. */
  readonly caFile?: string;
}

const TAKES = 'It takes "memory:" or a comma list of nats://host:port or tls://host:port?ca=file.';

/** Reads BUS_URL. Throws one sentence that names the setting and repeats none of it, since it may hold a password. */
export const readNatsAddress = (url: string): NatsAddress => {
  const places = url.split(',').map((part) => readPlace(part.trim()));
  const tls = places.some((place) => place.protocol === 'tls:');
  if (tls && places.some((place) => place.protocol === 'nats:')) {
    throw new Error('BUS_URL mixes nats:// and tls://. Use one of them for all its servers.');
  }
  const servers = places.map((place) => `${place.hostname}:${place.port || '4222'}`);
  const { username, password } = places.find((place) => place.username !== '') ?? { username: '', password: '' };
  const ca = places.map((place) => place.searchParams.get('ca')).find((file) => file !== null);
  if (ca !== undefined && !tls) throw new Error('BUS_URL has a "ca" for servers named by nats://, which have no TLS.');
  const server = { servers, tls, ...(ca !== undefined && { caFile: ca }) };
  if (username === '') return server;
  return {
    ...server,
    ...(password === '' ? { token: decoded(username) } : { user: decoded(username), pass: decoded(password) }),
  };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('BUS_URL has a "%" in its user or password that begins no escape; a plain "%" is written "%25".');
  }
};

const readPlace = (text: string): URL => {
  const place = URL.parse(text);
  if (!place || !['nats:', 'tls:'].includes(place.protocol))
    throw new Error(`BUS_URL is not an address of a bus. ${TAKES}`);
  if (
    place.hostname === '' ||
    (place.pathname !== '' && place.pathname !== '/') ||
    [...place.searchParams].some(([name, value]) => name !== 'ca' || value === '') ||
    place.hash !== ''
  ) {
    throw new Error(`BUS_URL names a server by more or less than host and port. ${TAKES}`);
  }
  return place;
};
