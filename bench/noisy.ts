import { mongo } from 'mongoose'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { percentile, type Waits, waitsOf } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import type { Stream } from './steady.ts'
import { waitFor } from './wait-for.ts'
import { actSteadily, type Service, startService } from './web-and-worker.ts'
import { startWitness, type Witness, waitsAfter } from './witness.ts'

const BUSINESSES = 100
const QUIET_PER_SECOND = 20
/** 90 % of all events. */
const NOISY_PER_SECOND = 180
const WARM_UP_SECONDS = 10
export const PHASE_SECONDS = 20
/** Long enough that the first hung attempts time out (30 s), wait (30 s) and hang again. */
export const HANGING_SECONDS = 75
const SLICE_SECONDS = 15

/** Milliseconds from the response of a create to the first attempt. */
export interface Phase extends Waits {
  what: string
  events: number
  /** p99 of each slice of the phase, in order. */
  slices: number[]
}

export interface Noisy {
  /** `service`: the 99 quiet businesses beside the noisy one. `bare`: as many creates, spread evenly over all 100. */
  pairs: Pair<Phase>[]
  /** The 99 beside the noisy one while its endpoint hangs. */
  hanging: Phase
  /** The attempts that were open at the hanging endpoint when the load ended. */
  open: number
}

export async function measureNoisy(bench: Bench): Promise<Noisy> {
  const witness = await startWitness(bench.runtime, 'noisy-endpoints', BUSINESSES)
  const service = await startService(bench, 'noisy', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, BUSINESSES, 'test')
  for (const [index, merchant] of merchants.entries())
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[index] ?? 0), ['payment.created'])
  const [noisy, ...quiet] = merchants
  if (noisy === undefined) throw new Error('No merchant was created')
  const keysOf = (owners: Merchant[]) => owners.map(({ apiKey }) => apiKey)
  const quietly: Stream = { perSecond: QUIET_PER_SECOND, apiKeys: keysOf(quiet) }
  const noisily: Stream = { perSecond: NOISY_PER_SECOND, apiKeys: [noisy.apiKey] }
  const evenly: Stream = { perSecond: QUIET_PER_SECOND + NOISY_PER_SECOND, apiKeys: keysOf(merchants) }
  const run = (what: string, seconds: number, streams: Stream[], waitedFor: number) =>
    measurePhase(bench, service, witness, { what, seconds, streams, waitedFor })

  await run('warm-up', WARM_UP_SECONDS, [evenly], 1)
  const pairs = await alternate(
    bench.rounds,
    () => run('beside the noisy one', PHASE_SECONDS, [quietly, noisily], 2),
    () => run('spread evenly', PHASE_SECONDS, [evenly], 1),
  )
  await witness.behave(witness.ports[0] ?? 0, 'hangs')
  const hanging = await run('beside it while its endpoint hangs', HANGING_SECONDS, [quietly, noisily], 1)
  const { hanging: open } = await witness.seen()
  await assertNothingLost(service.mongodbUrl, noisy)
  // The witness ends first, so that no attempt of the worker stays in flight.
  await witness.end()
  await service.end()
  return { pairs, hanging, open }
}

/** Waits until every event that the hanging endpoint did not get is in MongoDB. */
async function assertNothingLost(mongodbUrl: string, { businessId }: Merchant): Promise<void> {
  const client = await new mongo.MongoClient(mongodbUrl).connect()
  const count = (collection: string) => client.db().collection(collection).countDocuments({ businessId })
  await waitFor(
    'a delivery of each event of the noisy one',
    async () => (await count('deliveries')) === (await count('intents')),
  )
  await client.close()
}

interface PhaseInput {
  what: string
  seconds: number
  streams: Stream[]
  waitedFor: number
}

/** Measures the events of the first stream. Waits until the events of the first `waitedFor` streams have arrived. */
export async function measurePhase(
  bench: Bench,
  { webUrls }: Service,
  witness: Witness,
  { what, seconds, streams, waitedFor }: PhaseInput,
): Promise<Phase> {
  const creates = await actSteadily(bench, webUrls, seconds, streams)
  await waitsAfter(
    witness,
    creates.filter(({ stream }) => stream < waitedFor),
    1,
  )
  const quiet = creates.filter(({ stream }) => stream === 0)
  const waits = await waitsAfter(witness, quiet, 1)
  await witness.forget()
  const inSlice = Math.ceil((waits.length / seconds) * SLICE_SECONDS)
  const slices = Array.from({ length: Math.ceil(waits.length / inSlice) }, (_, index) =>
    percentile(waits.slice(index * inSlice, (index + 1) * inSlice), 0.99),
  )
  const { p50, p99, max } = waitsOf(waits)
  console.log(`  ${what}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms of ${waits.length} events`)
  return { what, p50, p99, max, events: waits.length, slices }
}
