import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Which files a test command runs, how many at a time, and how often each race is repeated. */
export interface Suite {
  includes(file: string): boolean
  /** Files that `npm test` has run already, except for more rounds. */
  repeats?(file: string): boolean
  workers?(cores: number): number
  rounds: 'few' | 'all'
  /** The service is compiled once before the run, because many tests start it as a process. */
  compiles?: boolean
}

const under = (...folders: string[]) => new RegExp(`^test/(${folders.join('|')})/`)
/** Processes, command-line children, operations, browsers. */
const full = under('kills', 'commands', 'ops', 'browser', 'dev', 'cli')
const load = under('load')
/** Tests of the test harnesses, which run before the harnesses themselves. */
const faults = under('faults', 'support')
const attack = under('attack')
const isElsewhere = (file: string) => [full, load, faults, attack].some((folder) => folder.test(file))

export const suites: Record<string, Suite> = {
  // Tests spend time waiting, so more workers than cores pay off, above all while killed processes keep their locks.
  test: { includes: (file) => !isElsewhere(file), workers: (cores) => cores + 2, rounds: 'few' },
  full: {
    includes: (file) => full.test(file) || (!isElsewhere(file) && hasRounds(readFileSync(file, 'utf8'))),
    repeats: (file) => !full.test(file),
    rounds: 'all',
    workers: (cores) => cores + 3,
    compiles: true,
  },
  load: { includes: (file) => load.test(file), workers: () => 1, rounds: 'all' },
  faults: { includes: (file) => faults.test(file), rounds: 'all' },
  attack: { includes: (file) => attack.test(file), rounds: 'all' },
}

/** Whether a test file, or a test's function, does more in `npm run test:full` than in `npm test`. */
export const hasRounds = (source: string) =>
  /\b(rounds|inFull|killAtEveryStep|landDuringRetry)\b/.test(source)

export function filesOf(suite: Suite, named: readonly string[]): string[] {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name).split(sep).join('/'))
    .toSorted()
  if (named.length === 0) return all.filter((file) => suite.includes(file))
  const wanted = named.map((name) => relative('.', name).split(sep).join('/'))
  const unknown = wanted.find((name) => !all.some((file) => file.startsWith(name)))
  if (unknown !== undefined) throw new Error(`No test file begins with ${unknown}`)
  return all.filter((file) => wanted.some((name) => file.startsWith(name)))
}

/** A guess for files that haven't run here yet. Programs start slowly, and many rounds or tests take long. */
export function estimateMs(file: string): number {
  const source = readFileSync(file, 'utf8')
  const isSlow = /startProcess|openAdmin|browser/.test(source) || hasRounds(source)
  const isSlowest = /timeout\(\d{3}_000\)/.test(source)
  return source.length / 10 + (isSlowest ? 120_000 : isSlow ? 20_000 : 0)
}

export type ToWorker =
  /** `isRepeat`: only the tests that have more rounds in this suite than in `npm test`. */
  | { kind: 'run'; file: string; grep: string | undefined; isRepeat: boolean }
  | { kind: 'slowness'; times: number }
  | { kind: 'finish' }

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'alive' }
  | { kind: 'passed' }
  | { kind: 'skipped'; title: string }
  | { kind: 'failed'; text: string }
  | { kind: 'done'; ms: number }
  | { kind: 'finished' }
