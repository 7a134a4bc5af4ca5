import { startBareNotify } from './bare-notify.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { percentile, type Waits, waitsOf } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import type { Answer } from './steady.ts'
import { createPath, createSteadily, startService } from './web-and-worker.ts'
import { startWitness, waitsAfter } from './witness.ts'

const PER_SECOND = 200
/** Of the one merchant; the bare worker posts to as many. */
const ENDPOINTS = 2
/** A cold process compiles what it runs: until that is done, some ten seconds at this rate, a trip takes three times as long. */
const WARM_UP_SECONDS = 15

/** Of one side of a round, in milliseconds after the answer of the create. */
export interface Latency extends Waits {
  /** First attempts that arrived per second of load. */
  perSecond: number
  /** p99 of the create itself. */
  createP99: number
  /** By how much the worst create was sent late. */
  latestMs: number
}

/** How soon after the answer of a create its events arrive, of the service and of a bare route and worker, in turns. */
export async function measureLatency(bench: Bench): Promise<Pair<Latency>[]> {
  const witness = await startWitness(bench.where, 'latency-receivers', ENDPOINTS)
  const service = await startService(bench, 'latency', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const [merchant] = await makeMerchants(service.mongodbUrl, service.secretKey, 1, 'test')
  if (merchant === undefined) throw new Error('No merchant was made')
  for (const port of witness.ports)
    await addEndpoint(service.webUrl, merchant, witness.urlOf(port), ['payment.created'])
  const bare = await startBareNotify(bench, 'latency', witness.ports.map(witness.urlOf))

  const streams = [{ perSecond: PER_SECOND, apiKeys: [merchant.apiKey] }]
  const side = (origin: string, path: string) => async (seconds: number) => {
    const { answers, latestMs } = await createSteadily(bench.where, { origin, path, seconds, streams })
    const waits = await waitsAfter(witness, answers, ENDPOINTS)
    await witness.forget()
    return { ...waitsOf(waits), perSecond: waits.length / seconds, createP99: createP99(answers), latestMs }
  }
  const ours = side(service.webUrl, createPath)
  const theirs = side(bare.origin, '/')

  await ours(WARM_UP_SECONDS)
  await theirs(WARM_UP_SECONDS)
  const seconds = bench.latencySeconds
  const pairs = await alternate(
    bench.rounds,
    () => ours(seconds),
    () => theirs(seconds),
  )
  await Promise.all([service.end(), bare.end()])
  await witness.end()
  return pairs
}

const createP99 = (answers: Answer[]): number =>
  percentile(
    answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt),
    0.99,
  )
