import { describe, expect, it } from '@jest/globals';
import type { ToolResult } from '@portico/contracts';
import { shapedResult } from './results.js';

const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

describe('[FD-25][UP-7] the text of an upstream', () => {
  it('passes as it came within the limit', () => {
    const result: ToolResult = { content: [text('a'.repeat(60)), image, text('b'.repeat(40))], _meta: { x: 1 } };
    expect(shapedResult(result, 100)).toBe(result);
  });

  it('is cut beyond it, with a marker that says how much', () => {
    const result: ToolResult = {
      content: [text('a'.repeat(250), { annotations: { priority: 1 } })],
      _meta: { x: 1 },
      isError: false,
    };
    expect(shapedResult(result, 100)).toEqual({
      content: [
        {
          type: 'text',
          text: `${'a'.repeat(100)}\n[cut: 150 of 250 characters left out]`,
          annotations: { priority: 1 },
        },
      ],
      _meta: { x: 1, 'portico/cut': true },
      isError: false,
    });
    expect(result.content![0]!['text']).toHaveLength(250);
  });

  it('is counted over all blocks, and what is no text stays', () => {
    const link = { type: 'resource_link', uri: 'a:b', name: 'b' };
    const resource = { type: 'resource', resource: { uri: 'a:b', text: 'x'.repeat(500) } };
    const result: ToolResult = {
      content: [text('a'.repeat(80)), image, text('b'.repeat(80)), link, text('c'.repeat(80)), resource],
    };
    expect(shapedResult(result, 100).content).toEqual([
      text('a'.repeat(80)),
      image,
      text(`${'b'.repeat(20)}\n[cut: 140 of 240 characters left out]`),
      link,
      resource,
    ]);
  });

  it('is cut where a block begins when the limit ends there', () => {
    const { content } = shapedResult({ content: [text('a'.repeat(100)), text('b')] }, 100);
    expect(content).toEqual([text('a'.repeat(100)), text('\n[cut: 1 of 101 characters left out]')]);
  });

  it('never ends in half a character', () => {
    const { content } = shapedResult({ content: [text('😀'.repeat(100))] }, 101);
    expect(content).toEqual([text(`${'😀'.repeat(50)}\n[cut: 100 of 200 characters left out]`)]);
  });

  it('of an error is cut too, and stays an error', () => {
    expect(shapedResult({ content: [text('a'.repeat(200))], isError: true }, 100)).toMatchObject({ isError: true });
  });
});

describe('[UP-7] an empty result', () => {
  it.each([[{ content: [] }], [{ content: [text('')] }]])('%j says that it is one', (result) => {
    expect(shapedResult(result, 100)).toEqual({ content: [text('[ok] (no output)')] });
  });

  it.each([
    [{ content: [], structuredContent: { a: 1 } }],
    [{ content: [], structuredContent: null }],
    [{ structuredContent: [] }],
    [{ content: [], isError: true }],
    [{ resultType: 'input_required', inputRequests: {} }],
    [{ content: [image] }],
    [{ content: [text(' ')] }],
  ])('%j passes as it came', (result: ToolResult) => {
    expect(shapedResult(result, 100)).toBe(result);
  });
});
