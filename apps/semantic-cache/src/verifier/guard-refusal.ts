/** What told two texts apart beyond doubt. */
export type GuardRefusal = 'numbers' | 'negation' | 'order';
