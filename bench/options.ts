import { parseArgs } from 'node:util'

/** The options of the command line. */
export interface Options {
  benchmarks: ReadonlySet<string>
  rounds: number
  seconds: number
  latencySeconds: number
  deliveries: number
  events: number
  most: number
  storm: number
  trafficSeconds: number
  memoryMinutes: number
  profile: boolean
  /** `noisy` with a backlog of retries instead of a noisy business. */
  backlog: boolean
  /** The folder of another checkout with which some benchmarks compare this one. */
  before: string | null
}

/** The minimum of `--most`. A tenth of it must exceed the smallest merchant of `list`. */
const MIN_MOST = 20_000
const MAX_DELIVERIES = 100_000
/** One business creates all events, and it has a million payment codes. */
const MAX_EVENTS = 20_000

/** The defaults. */
const defaults = {
  rounds: '5',
  seconds: '3',
  'latency-seconds': '5',
  'traffic-seconds': '10',
  'memory-minutes': '10',
  deliveries: '10000',
  events: '6000',
  most: '1000000',
  storm: '20000',
}
/** The values of `--quick`, which shows that everything runs. The figures say little. */
const quick = {
  rounds: '1',
  seconds: '1',
  'latency-seconds': '2',
  'traffic-seconds': '3',
  'memory-minutes': '1',
  deliveries: '2000',
  events: '1000',
  most: '50000',
  storm: '2000',
}

/** Reads the command line. `known`: the names of all benchmarks. @throws {Error} if an option is invalid */
export function readOptions(known: string[]): Options {
  const { positionals, values: given } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'latency-seconds': { type: 'string' },
      'traffic-seconds': { type: 'string' },
      'memory-minutes': { type: 'string' },
      backlog: { type: 'boolean', default: false },
      deliveries: { type: 'string' },
      events: { type: 'string' },
      most: { type: 'string' },
      storm: { type: 'string' },
      before: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  })
  const values = { ...(given.quick ? quick : defaults), ...given }
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}: ${known.join(', ')}`)
  const most = count('most', values.most, 10_000_000)
  if (most < MIN_MOST || most % 10 !== 0) throw new Error(`--most must be a multiple of 10, from ${MIN_MOST}`)
  return {
    benchmarks: new Set(positionals.length > 0 ? positionals : known),
    rounds: count('rounds', values.rounds, 100),
    seconds: count('seconds', values.seconds, 60),
    latencySeconds: count('latency-seconds', values['latency-seconds'], 60),
    backlog: values.backlog,
    before: values.before ?? null,
    deliveries: count('deliveries', values.deliveries, MAX_DELIVERIES),
    events: count('events', values.events, MAX_EVENTS),
    most,
    storm: count('storm', values.storm, 20_000),
    trafficSeconds: count('traffic-seconds', values['traffic-seconds'], 600),
    memoryMinutes: count('memory-minutes', values['memory-minutes'], 600),
    profile: values.profile,
  }
}

function count(name: string, text: string, max: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}`)
}
