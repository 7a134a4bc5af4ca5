import type { Where } from './processes.ts'

/** What a benchmark is given. */
export interface Bench {
  where: Where
  /** The address of a database of its own. */
  mongodbUrl(database: string): string
  redisUrl: string
  /** Of the servers. */
  pids: { mongo(): number; redis(): number }
  emptyRedis(): Promise<unknown>
  rounds: number
  /** How long one side of a round of `create`, `get`, `list`, `cancel`, `pay` or `stock` lasts. */
  seconds: number
  /** The same of `latency`. */
  latencySeconds: number
  /** How many deliveries one side of a round of `deliver` makes. */
  deliveries: number
  /** How many creates one side of a round of `end-to-end` sends. */
  events: number
  /** How many intents the largest merchant of `list` has, and how many old documents `clean-up` takes away. */
  most: number
  /** How many intents expire in one second. */
  storm: number
  /** How long one side of a round of `clean-up` or `lists` lasts. */
  trafficSeconds: number
  memoryMinutes: number
  /** `noisy` with a backlog of retries instead of a noisy business. */
  backlog: boolean
}

/** One round: both sides, one after the other. */
export interface Pair<Figures> {
  service: Figures
  bare: Figures
}

/** Service, bare, service, bare …: what disturbs the machine meanwhile disturbs both. */
export async function alternate<Figures>(
  rounds: number,
  service: () => Promise<Figures>,
  bare: () => Promise<Figures>,
): Promise<Pair<Figures>[]> {
  const pairs: Pair<Figures>[] = []
  for (let round = 0; round < rounds; round += 1) pairs.push({ service: await service(), bare: await bare() })
  return pairs
}
