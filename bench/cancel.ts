import type { mongo } from 'mongoose'
import { withBooks } from './copies.ts'
import type { Call, Timed } from './requests.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { startTwoRoutes } from './two-routes.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 2
/** More than two cores have answered. */
const MOST_PER_SECOND = 7000

/** Cancels per second by the API, and by the bare route, in turns on the same MongoDB; each intent is cancelled once. */
export const measureCancel = (bench: Bench): Promise<Pair<Timed>[]> =>
  withBooks(bench.mongodbUrl('cancel'), async (books) => {
    const routes = await startTwoRoutes(bench, books, 'cancel', 'bench/bare/cancel-route.ts')
    const service = cancels(bench, routes.service, (count) => routes.addIntents(count, 'POST', '/cancel'))
    const bare = cancels(bench, routes.bare, (count) => routes.addBare(count, 'POST', '/cancel'))
    const before = await service(WARM_UP_SECONDS)
    await bare(WARM_UP_SECONDS)
    const pairs = await alternate(
      bench.rounds,
      () => service(bench.seconds),
      () => bare(bench.seconds),
    )
    await mustBeCancelled(books, [before, ...pairs.map((pair) => pair.service)])
    await routes.end()
    return pairs
  })

/** Cancels for some seconds what is made before. What a round leaves is cancelled in the next. */
function cancels(
  { where }: Bench,
  origin: string,
  make: (count: number) => Promise<Call[]>,
): (seconds: number) => Promise<Timed> {
  let calls: Call[] = []
  return async (seconds) => {
    const missing = seconds * MOST_PER_SECOND - calls.length
    if (missing > 0) calls = [...calls, ...(await make(missing))]
    const timed = await sendCalls(where, { origin, calls, connections: CONNECTIONS, seconds, eachOnce: true })
    calls = calls.slice(timed.sent)
    return timed
  }
}

/** @throws {Error} unless each call cancelled its intent */
async function mustBeCancelled(books: mongo.Db, rounds: Timed[]): Promise<void> {
  const sent = rounds.reduce((sum, round) => sum + round.sent, 0)
  const cancelled = await books.collection('intents').countDocuments({ status: 'CANCELLED' })
  if (cancelled !== sent) throw new Error(`${sent} cancels were sent, and ${cancelled} intents are CANCELLED`)
}
