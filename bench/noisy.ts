import { mongo } from 'mongoose'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import type { Bench } from './rounds.ts'
import type { Stream } from './steady.ts'
import { waitFor } from './wait-for.ts'
import { createPath, createSteadily, type Service, startService } from './web-and-worker.ts'
import { startWitness, type Witness, waitsAfter } from './witness.ts'

const BUSINESSES = 100
const QUIET_PER_SECOND = 20
/** 90 % of all events. */
const NOISY_PER_SECOND = 180
const WARM_UP_SECONDS = 3
const PHASE_SECONDS = 30
/** Long enough that the first hung attempts time out (30 s), wait (30 s) and hang again. */
const HANGING_SECONDS = 75
const SLICE_SECONDS = 15

/** How the events of the quiet businesses went: milliseconds from the answer of the create to the first attempt. */
export interface Phase {
  what: string
  p50: number
  p99: number
  max: number
  events: number
  /** p99 of each slice of the phase, in turn. */
  slices: number[]
}

/** The same 99 quiet businesses without the noisy one, beside it while its receiver answers, and while it never does. */
export interface Noisy {
  without: Phase
  control: Phase
  hanging: Phase
  /** How many attempts stood open at the receiver that never answers, when the load ended. */
  open: number
}

export async function measureNoisy(bench: Bench): Promise<Noisy> {
  const witness = await startWitness(bench.where, 'noisy-receivers', BUSINESSES)
  const service = await startService(bench, 'noisy', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, BUSINESSES, 'test')
  for (const [place, merchant] of merchants.entries())
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[place] ?? 0), ['payment.created'])
  const [noisy, ...others] = merchants
  if (noisy === undefined) throw new Error('No merchant was made')
  const quiet = others.map(({ apiKey }) => apiKey)
  const quietly: Stream = { perSecond: QUIET_PER_SECOND, apiKeys: quiet }
  const noisily: Stream = { perSecond: NOISY_PER_SECOND, apiKeys: [noisy.apiKey] }
  const run = (what: string, seconds: number, streams: Stream[], waitedFor: number) =>
    measurePhase(bench, service, witness, { what, seconds, streams, waitedFor })

  await run('warm-up', WARM_UP_SECONDS, [quietly, noisily], 2)
  const without = await run('without the noisy one', PHASE_SECONDS, [quietly], 1)
  const control = await run('beside it, its receiver answers', PHASE_SECONDS, [quietly, noisily], 2)
  await witness.behave(witness.ports[0] ?? 0, 'hangs')
  const hanging = await run('beside it, its receiver never answers', HANGING_SECONDS, [quietly, noisily], 1)
  const { hanging: open } = await witness.seen()
  await nothingLost(service.mongodbUrl, noisy)
  // First, so that the worker has nothing left to wait for.
  await witness.end()
  await service.end()
  return { without, control, hanging, open }
}

/** What the silent receiver did not get stands in MongoDB, every event of it. */
async function nothingLost(mongodbUrl: string, { businessId }: Merchant): Promise<void> {
  const client = await new mongo.MongoClient(mongodbUrl).connect()
  const count = (collection: string) => client.db().collection(collection).countDocuments({ businessId })
  await waitFor(
    'a delivery of each event of the noisy one',
    async () => (await count('deliveries')) === (await count('intents')),
  )
  await client.close()
}

/** One phase. The events of the first `waitedFor` streams must all arrive; those of the first one are measured. */
export async function measurePhase(
  bench: Bench,
  { webUrl: origin }: Service,
  witness: Witness,
  {
    what,
    seconds,
    streams,
    waitedFor,
  }: { what: string; seconds: number; streams: Stream[]; waitedFor: number },
): Promise<Phase> {
  const { answers } = await createSteadily(bench.where, { origin, path: createPath, seconds, streams })
  await waitsAfter(
    witness,
    answers.filter(({ stream }) => stream < waitedFor),
    1,
  )
  const quiet = answers.filter(({ stream }) => stream === 0)
  const waits = await waitsAfter(witness, quiet, 1)
  await witness.forget()
  const inSlice = Math.ceil((waits.length / seconds) * SLICE_SECONDS)
  const slices = Array.from({ length: Math.ceil(waits.length / inSlice) }, (_, place) =>
    percentile(waits.slice(place * inSlice, (place + 1) * inSlice), 0.99),
  )
  const [p50, p99, max] = [percentile(waits, 0.5), percentile(waits, 0.99), percentile(waits, 1)]
  console.log(`  ${what}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms of ${waits.length} events`)
  return { what, p50, p99, max, events: waits.length, slices }
}
