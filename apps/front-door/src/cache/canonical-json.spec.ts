import { describe, expect, it } from '@jest/globals';
import { canonicalJson, inNfc } from './canonical-json.js';

describe('[SC-2] canonical JSON', () => {
  it('is that of RFC 8785: its example', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('has keys by their UTF-16 units, in no language’s order, and the same at every depth', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6', 'z', 'Z', 'a', 'A'];
    const sorted = ['\r', '1', 'A', 'Z', 'a', 'z', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const value = Object.fromEntries(keys.map((key) => [key, 0]));
    const expected = `{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`;
    expect(canonicalJson(value)).toBe(expected);
    expect(canonicalJson([{ in: value }])).toBe(`[{"in":${expected}}]`);
  });

  it('keeps both of two keys that become one', () => {
    expect(canonicalJson({ 'caf\u00e9': 1, 'cafe\u0301': 2 }, inNfc)).toBe('{"café":1,"café":2}');
  });

  it('writes NUL and halves of pairs down, each as itself', () => {
    expect(canonicalJson(['\u0000', '\ud800'])).toBe(String.raw`["\u0000","\ud800"]`);
  });
});
