import type { mongo } from 'mongoose'
import { withDatabase } from './copies.ts'
import type { Call, Timed } from './requests.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { startTwoRoutes } from './two-routes.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 2
/** More than two cores can handle. */
const MAX_PER_SECOND = 7000

/**
 * Measures cancels per second by the API and by the bare route, alternately on the same MongoDB. Each intent is
 * cancelled once.
 */
export const measureCancel = (bench: Bench): Promise<Pair<Timed>[]> =>
  withDatabase(bench.mongodbUrl('cancel'), async (database) => {
    const routes = await startTwoRoutes(bench, database, 'cancel', 'bench/bare/cancel-route.ts')
    const service = cancels(bench, routes.service, (count) => routes.addIntents(count, 'POST', '/cancel'))
    const bare = cancels(bench, routes.bare, (count) => routes.addBare(count, 'POST', '/cancel'))
    const before = await service(WARM_UP_SECONDS)
    await bare(WARM_UP_SECONDS)
    const pairs = await alternate(
      bench.rounds,
      () => service(bench.seconds),
      () => bare(bench.seconds),
    )
    await assertCancelled(database, [before, ...pairs.map((pair) => pair.service)])
    await routes.end()
    return pairs
  })

/** Creates intents in advance, and cancels them for some seconds. The next round uses those that are left. */
function cancels(
  { runtime }: Bench,
  origin: string,
  make: (count: number) => Promise<Call[]>,
): (seconds: number) => Promise<Timed> {
  let calls: Call[] = []
  return async (seconds) => {
    const missing = seconds * MAX_PER_SECOND - calls.length
    if (missing > 0) calls = [...calls, ...(await make(missing))]
    const timed = await sendCalls(runtime, {
      origin,
      calls,
      connections: CONNECTIONS,
      seconds,
      eachOnce: true,
    })
    calls = calls.slice(timed.sent)
    return timed
  }
}

/** @throws {Error} if a call did not cancel its intent */
async function assertCancelled(database: mongo.Db, rounds: Timed[]): Promise<void> {
  const sent = rounds.reduce((sum, round) => sum + round.sent, 0)
  const cancelled = await database.collection('intents').countDocuments({ status: 'CANCELLED' })
  if (cancelled !== sent) throw new Error(`${sent} cancels were sent, and ${cancelled} intents are CANCELLED`)
}
