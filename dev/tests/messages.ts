/** What the runner tells a worker process. */
export type ToWorker =
  /** `isRepeat`: only the tests that have more rounds in this suite than in `npm test`. */
  | { kind: 'run'; file: string; grep: string | undefined; isRepeat: boolean }
  | { kind: 'slowness'; times: number }
  | { kind: 'finish' }

/** What a worker process tells the runner. */
export type FromWorker =
  | { kind: 'ready' }
  /** A test is running and does not block the process. */
  | { kind: 'alive' }
  | { kind: 'passed' }
  | { kind: 'skipped'; title: string }
  | { kind: 'failed'; text: string }
  | { kind: 'done'; ms: number; cpuMs: number }
  | { kind: 'finished'; servers: ServerTimes }

/** Processor time in ms. */
export interface ServerTimes {
  mongo: number
  redis: number
}
