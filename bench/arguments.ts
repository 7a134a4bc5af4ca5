import { parseArgs } from 'node:util'

/** What somebody asked for on the command line. */
export interface Asked {
  benchmarks: ReadonlySet<string>
  rounds: number
  seconds: number
  latencySeconds: number
  deliveries: number
  profile: boolean
  /** `noisy` with a backlog of retries instead of a noisy business. */
  backlog: boolean
}

/** Every endpoint gets as many as every other. */
const ENDPOINTS = 20
/** What the service keeps unsent for Redis; it would drop the jobs beyond. */
const MOST_DELIVERIES = 20_000

/** `known` are the benchmarks there are. @throws {Error} one sentence that says what is wrong */
export function readArguments(known: string[]): Asked {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      'latency-seconds': { type: 'string', default: '5' },
      backlog: { type: 'boolean', default: false },
      deliveries: { type: 'string', default: '10000' },
      profile: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}: ${known.join(', ')}`)
  const deliveries = count('deliveries', values.deliveries, MOST_DELIVERIES)
  if (deliveries % ENDPOINTS !== 0) throw new Error(`--deliveries must be a multiple of ${ENDPOINTS}`)
  return {
    benchmarks: new Set(positionals.length > 0 ? positionals : known),
    rounds: count('rounds', values.rounds, 100),
    seconds: count('seconds', values.seconds, 60),
    latencySeconds: count('latency-seconds', values['latency-seconds'], 60),
    backlog: values.backlog,
    deliveries,
    profile: values.profile,
  }
}

function count(name: string, text: string, most: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new Error(`--${name} must be a whole number from 1 to ${most}`)
}
