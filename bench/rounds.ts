import type { Runtime } from './processes.ts'

/** The input of a benchmark. */
export interface Bench {
  runtime: Runtime
  /** The URL of a database for this benchmark. */
  mongodbUrl(database: string): string
  redisUrl: string
  /** The process ids of the servers. */
  pids: { mongo(): number; redis(): number }
  emptyRedis(): Promise<unknown>
  rounds: number
  /** The length of one side of a round of `create`, `get`, `list`, `cancel`, `pay` or `stock`. */
  seconds: number
  /** The same for `latency`. */
  latencySeconds: number
  /** The deliveries on one side of a round of `deliver`. */
  deliveries: number
  /** The creates on one side of a round of `end-to-end`. */
  events: number
  /** The intents of the largest merchant of `list`, and the old documents of `clean-up`. */
  most: number
  /** The intents that expire in one second of `storm`. */
  storm: number
  /** The length of one side of a round of `clean-up` or `lists`. */
  trafficSeconds: number
  memoryMinutes: number
  /** `noisy` with a backlog of retries instead of a noisy business. */
  backlog: boolean
  /** The folder of another checkout with which some benchmarks compare this one. */
  before: string | null
}

/** The figures of both sides of one round. */
export interface Pair<Figures> {
  service: Figures
  bare: Figures
}

/** Alternates service and bare, so that a disturbance of the machine affects both sides. */
export async function alternate<Figures>(
  rounds: number,
  service: () => Promise<Figures>,
  bare: () => Promise<Figures>,
): Promise<Pair<Figures>[]> {
  const pairs: Pair<Figures>[] = []
  for (let round = 0; round < rounds; round += 1) pairs.push({ service: await service(), bare: await bare() })
  return pairs
}
