import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { RED_PIXEL_PNG } from './media.js';

/** The resources that are listed; `test://watched-resource` is there to be subscribed to. */
export const RESOURCES = [
  {
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
  },
  {
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'An image that never changes',
    mimeType: 'image/png',
  },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A text to subscribe to',
    mimeType: 'text/plain',
  },
];

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template-data',
    description: 'A document for each id',
    mimeType: 'application/json',
  },
];

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** The contents of one resource. An unknown one is `-32602` naming the URI. */
export function readResource(uri: string) {
  switch (uri) {
    case 'test://static-text':
      return textOf(uri, 'text/plain', 'This is the content of the static text resource.');
    case 'test://watched-resource':
      return textOf(uri, 'text/plain', 'This is the content of the watched resource.');
    case 'test://static-binary':
      return { contents: [{ uri, mimeType: 'image/png', blob: RED_PIXEL_PNG }] };
  }
  const id = TEMPLATE.exec(uri)?.[1];
  if (id === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
  return textOf(uri, 'application/json', JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }));
}

const textOf = (uri: string, mimeType: string, value: string) => ({ contents: [{ uri, mimeType, text: value }] });
