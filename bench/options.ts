import { parseArgs } from 'node:util'

/** A whole number on the command line. `quick`: its value with `--quick`, which only shows that everything runs. */
interface Count {
  usual: number
  quick: number
  min?: number
  max: number
}

const counts = {
  rounds: { usual: 5, quick: 1, max: 100 },
  /** One side of a round of `create`, `quotas`, `get`, `list`, `cancel` or `pay`. */
  seconds: { usual: 3, quick: 1, max: 60 },
  /** The same for `latency`, `clean-up`, `lists`, `network`, `replay-beside` and `export`. */
  'traffic-seconds': { usual: 10, quick: 3, max: 600 },
  deliveries: { usual: 10_000, quick: 2000, max: 100_000 },
  /** For `end-to-end`, where one business creates all of them, and it has a million payment codes. */
  events: { usual: 6000, quick: 1000, max: 20_000 },
  most: { usual: 1_000_000, quick: 50_000, min: 20_000, max: 10_000_000 },
  storm: { usual: 20_000, quick: 2000, max: 20_000 },
} satisfies Record<string, Count>

export type Options = Record<Exclude<keyof typeof counts, 'traffic-seconds'> | 'trafficSeconds', number> & {
  benchmarks: ReadonlySet<string>
  profile: boolean
  before: string | null
}

/** `known`: the names of all benchmarks. @throws {Error} if an option is invalid */
export function readOptions(known: string[]): Options {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const texts = Object.fromEntries(Object.keys(counts).map((name) => [name, text]))
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { ...texts, before: text, quick: flag, profile: flag },
  })
  const given = values as unknown as Record<string, string | undefined>
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}: ${known.join(', ')}`)
  const count = (name: keyof typeof counts): number => {
    const { usual, quick, min = 1, max }: Count = counts[name]
    const value = Number(given[name] ?? (values.quick ? quick : usual))
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new Error(`--${name} must be a whole number from ${min} to ${max}`)
  }
  const most = count('most')
  if (most % 10 !== 0) throw new Error('--most must be a multiple of 10')
  return {
    benchmarks: new Set(positionals.length > 0 ? positionals : known),
    rounds: count('rounds'),
    seconds: count('seconds'),
    trafficSeconds: count('traffic-seconds'),
    deliveries: count('deliveries'),
    events: count('events'),
    most,
    storm: count('storm'),
    profile: values.profile,
    before: values.before ?? null,
  }
}
