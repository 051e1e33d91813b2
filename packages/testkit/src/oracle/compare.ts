import { isDeepStrictEqual } from 'node:util';
import type { WireRequest } from './compose.js';
import { INTENDED_DIFFERENCES } from './differences.js';
import type { Exchange } from './exchange.js';
import { viewOf } from './view.js';
import type { View } from './view.js';

/** What comparing one request came to. */
export interface Comparison {
  /** The intended differences that had a part in it, by name. */
  readonly intended: readonly string[];
  /** What was meant and what came instead; absent when they are the same. */
  readonly different?: { readonly request: string; readonly meant: View; readonly front: View };
}

/** Compares the answers of the front door and of the SDK to one request, intended differences allowed for. */
export function compareAnswers(request: WireRequest, answers: { front: Exchange; sdk: Exchange }): Comparison {
  const front = viewOf(answers.front);
  let meant = viewOf(answers.sdk);
  const intended: string[] = [];
  for (const rule of INTENDED_DIFFERENCES) {
    const instead = rule.meant(request, meant);
    if (instead === undefined || isDeepStrictEqual(instead, meant)) continue;
    meant = instead;
    intended.push(rule.name);
  }
  if (isDeepStrictEqual(front, meant)) return { intended };
  return { intended, different: { request: request.name, meant, front } };
}
