/**
 * Lets concurrent askers of one key share one piece of work: who comes while it runs gets its outcome, failure included.
 * Nothing is remembered once it has ended.
 */
export const singleFlight = <Key, Value>(): ((key: Key, work: () => Promise<Value>) => Promise<Value>) => {
  const running = new Map<Key, Promise<Value>>();
  return (key, work) => {
    const begun = running.get(key);
    if (begun !== undefined) return begun;
    // The work begins in a later turn, so that one that throws or asks for its own key again at once finds it registered.
    const flight = Promise.resolve()
      .then(work)
      .finally(() => running.delete(key));
    running.set(key, flight);
    return flight;
  };
};
