/**
 * Who goes first when more deliveries are due than can be made (BullMQ: lower is sooner, 0 before all). Fresh events of who sends
 * little, fresh events by how much their business sends, what the sweep had to find, retries, what is DEAD already.
 */

/** A business with no more new deliveries than this in the last seconds waits behind nobody. */
const modestCount = 100

/** What Redis lost is late already, and may be very much at once. */
export const sweptPriority = 50_000

/** From here on retries; the receiver that fails the longest is last. */
export const retriesFrom = 100_000

const mostFailures = 1_000_000

/** A job that only has to be put among the failed ones again. */
export const deadPriority = 2_000_000

/** Doubling by doubling, so that the events of one business stay in order while its rate goes up and down a little. */
export const freshPriority = (recentCount: number): number =>
  recentCount <= modestCount ? 0 : Math.ceil(Math.log2(recentCount / modestCount))

export const retryPriority = (failuresInRow: number): number =>
  retriesFrom + Math.min(failuresInRow, mostFailures)
