import { withDatabase } from './copies.ts'
import type { Call, Timed } from './requests.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { startTwoRoutes } from './two-routes.ts'

const CONNECTIONS = 64
const INTENTS = 20_000
const WARM_UP_SECONDS = 2

/** Measures reads per second by the API and by the bare route, alternately on the same MongoDB. */
export const measureGet = (bench: Bench): Promise<Pair<Timed>[]> =>
  withDatabase(bench.mongodbUrl('get'), async (database) => {
    const routes = await startTwoRoutes(bench, database, 'get', 'bench/bare/get-route.ts')
    const get = (origin: string, calls: Call[]) => (seconds: number) =>
      sendCalls(bench.runtime, { origin, calls, connections: CONNECTIONS, seconds, eachOnce: false })
    const service = get(routes.service, await routes.addIntents(INTENTS, 'GET', ''))
    const bare = get(routes.bare, await routes.addBare(INTENTS, 'GET', ''))
    await service(WARM_UP_SECONDS)
    await bare(WARM_UP_SECONDS)
    const pairs = await alternate(
      bench.rounds,
      () => service(bench.seconds),
      () => bare(bench.seconds),
    )
    await routes.end()
    return pairs
  })
