import { parseArgs } from 'node:util'

/** What somebody asked for on the command line. */
export interface Asked {
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
}

/** Of `--most`: so that a tenth is more than the least merchant of `list` has, and the half and the tenth are whole. */
const LEAST_MOST = 20_000
const MOST_DELIVERIES = 100_000
/** One business creates them all, and it has a million payment codes. */
const MOST_EVENTS = 20_000

/** What somebody gets who does not say. */
const whole = {
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
/** To see that all of it runs; its figures say little. */
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

/** `known` are the benchmarks there are. @throws {Error} one sentence that says what is wrong */
export function readArguments(known: string[]): Asked {
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
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  })
  const values = { ...(given.quick ? quick : whole), ...given }
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}: ${known.join(', ')}`)
  const most = count('most', values.most, 10_000_000)
  if (most < LEAST_MOST || most % 10 !== 0)
    throw new Error(`--most must be a multiple of 10, from ${LEAST_MOST}`)
  return {
    benchmarks: new Set(positionals.length > 0 ? positionals : known),
    rounds: count('rounds', values.rounds, 100),
    seconds: count('seconds', values.seconds, 60),
    latencySeconds: count('latency-seconds', values['latency-seconds'], 60),
    backlog: values.backlog,
    deliveries: count('deliveries', values.deliveries, MOST_DELIVERIES),
    events: count('events', values.events, MOST_EVENTS),
    most,
    storm: count('storm', values.storm, 20_000),
    trafficSeconds: count('traffic-seconds', values['traffic-seconds'], 600),
    memoryMinutes: count('memory-minutes', values['memory-minutes'], 600),
    profile: values.profile,
  }
}

function count(name: string, text: string, most: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new Error(`--${name} must be a whole number from 1 to ${most}`)
}
