import type { Options } from './options.ts'
import type { Runtime } from './processes.ts'

export interface Bench extends Options {
  runtime: Runtime
  mongodbUrl(database: string): string
  redisUrl: string
  pids: { mongo(): number; redis(): number }
}

/** `bare`: the bare counterpart, or the service under less load. */
export interface Line {
  what: string
  service: string
  bare: string
  ratio: string
  aim: string
}

export interface Benchmark {
  describe(options: Options): string
  takesSeconds(options: Options): number
  /** Returns the lines of its table. @throws {Error} if something was lost, or cannot be measured */
  measure(bench: Bench): Promise<Line[]>
}

export interface Pair<Figures> {
  service: Figures
  bare: Figures
}

/** Alternates, so that a disturbance of the machine affects both sides. */
export async function alternate<Figures>(
  rounds: number,
  service: () => Promise<Figures>,
  bare: () => Promise<Figures>,
): Promise<Pair<Figures>[]> {
  const pairs: Pair<Figures>[] = []
  for (let round = 0; round < rounds; round += 1) pairs.push({ service: await service(), bare: await bare() })
  return pairs
}

/** Alternates for some seconds each, after a warm-up of both sides. */
export async function alternateFor<Figures>(
  { rounds }: Options,
  seconds: { warmUp: number; measured: number },
  service: (seconds: number) => Promise<Figures>,
  bare: (seconds: number) => Promise<Figures>,
): Promise<Pair<Figures>[]> {
  await service(seconds.warmUp)
  await bare(seconds.warmUp)
  return alternate(
    rounds,
    () => service(seconds.measured),
    () => bare(seconds.measured),
  )
}
