let slowness = 1

/** The test runner measures how much slower than idle this machine is, and passes it on to each worker process. */
export const setTimes = (times: number): void => {
  slowness = Math.max(1, times)
}

/** A deadline for something that takes at most `ms` on an idle machine. It grows while the machine is busy. */
export const deadlineMs = (ms: number): number => ms * slowness

/** For a choice that isn't a number of rounds. */
export const inFull = <T>(full: T, quick: T): T => (process.env.TEST_ROUNDS === 'all' ? full : quick)

/** How often to repeat a race: `few` times in `npm test`, and the other times up to `all` in `npm run test:full`. */
export const rounds = (all: number, few: number): number => inFull(all - few, few)
