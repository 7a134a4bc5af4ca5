let slowness = 1
export const setTimes = (times: number) => void (slowness = Math.max(1, times))
export const deadlineMs = (ms: number): number => ms * slowness

/** For a choice that isn't a number of rounds. */
export const inFull = <T>(full: T, quick: T): T => (process.env.TEST_ROUNDS === 'all' ? full : quick)

/** How often to repeat a race: `few` times in `npm test`, and the other times up to `all` in `npm run test:full`. */
export const rounds = (all: number, few: number): number => inFull(all - few, few)
